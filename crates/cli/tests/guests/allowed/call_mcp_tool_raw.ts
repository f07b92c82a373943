// expect: output [{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null},{"content":[{"type":"text","text":"{\"city\": \"Oslo\", \"degrees\": -3.5, \"days\": [\"mon\", \"tue\"], \"station\": null}"}],"structuredContent":{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null},"isError":false},{"content":[{"type":"text","text":"raw answers do not throw"}],"isError":true},{"content":[],"isError":false},null]
return [
  await callMCPTool('hostile__structured', {}),
  await callMCPTool('hostile__structured', {}, { raw: true }),
  await callMCPTool('hostile__fail', { message: 'raw answers do not throw' }, { raw: true }),
  await servers.hostile.empty({}, { raw: true }),
  await servers.hostile.empty(),
];
