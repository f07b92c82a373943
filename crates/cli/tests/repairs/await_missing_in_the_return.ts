return servers.crm.getLead({ id: 'L-0001' }).then((lead) => lead.id);
