// expect: output ["there is no server `a\\u{1b}[31mb`","server `hostile` has no tool `a\\u{1b}[31mb`","there is no server `c\\u{202e}d`","server `hostile` has no tool `c\\u{202e}d`","there is no server `e\\u{0}f`","server `hostile` has no tool `e\\u{0}f`","there is no server `g\nh`","server `hostile` has no tool `g\nh`","there is no server ``i``","server `hostile` has no tool ``i``","there is no server `../j`","server `hostile` has no tool `../j`","there is no server `kkkkk`","server `hostile` has no tool `kkkkk`"]
const messages: string[] = [];
for (const name of ['a\u001b[31mb', 'c\u202ed', 'e\u0000f', 'g\nh', '`i`', '../j', 'k'.repeat(5)]) {
  try { await callMCPTool(`${name}__x`, {}); } catch (error) { messages.push(error.message); }
  try { await callMCPTool(`hostile__${name}`, {}); } catch (error) { messages.push(error.message); }
}
return messages;
