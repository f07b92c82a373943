// The type checker sees it, and warns.
const result = await servers.crm.getLead({ id: 'L-0001' });
return JSON.parse(result.content[0].text);
