const response = await fetch('https://example.com/data.json');
return await response.json();
