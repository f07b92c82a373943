const LIMIT = 2;

async function main() {
  const page = await servers.crm.listLeads({ limit: LIMIT });
  return page.leads.length;
}
