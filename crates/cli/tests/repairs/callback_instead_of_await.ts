servers.crm.getLead({ id: 'L-0003' }, (error, lead) => {
  console.log(lead.id);
});
