async function main() {
  const page = await servers.crm.listLeads({ limit: 2 });
  return page.leads.length;
}
