const key = process.env.API_KEY;
if (!key) throw new Error('API_KEY is not set');
return key;
