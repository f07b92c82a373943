// expect: error fetch.denied at line 3, column 24: programs have no network
// hint: call a tool of a server instead; `mode` and `allow` say what programs can reach (`[network]` in tidegate.toml)
const response = await fetch('https://example.com');
return response.status;
