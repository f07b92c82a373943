async function load(id: string) {
  return servers.crm.getLead({ id });
}
const lead = load('L-0001');
return lead.company.length;
