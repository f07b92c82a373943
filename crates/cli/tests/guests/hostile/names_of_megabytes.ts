// expect: output ["call.unknown_server","call.unknown_server","call.unknown_tool","file.refused","call.bad_argument","program.threw"]
const long = 'x'.repeat(5_000_000);
const codes: string[] = [];
for (const use of [() => callMCPTool(long, {}), () => servers[long], () => servers.hostile[long]({}), () => fs.readFileSync(long), () => searchTools(long), () => import(long)]) {
  try { await use(); codes.push('fine'); } catch (error) { codes.push(error.code); }
}
return codes;
