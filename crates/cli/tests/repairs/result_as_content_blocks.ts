// later: type check
const result = await servers.crm.getLead({ id: 'L-0001' });
return JSON.parse(result.content[0].text);
