async function main() {
  const page = await servers.crm.listLeads({ limit: 2 });
  if (page.leads.length > 0) {
    return page.leads[0].id;

main();
