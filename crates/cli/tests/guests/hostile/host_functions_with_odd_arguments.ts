// expect: output "survived"
// logs: "undefined\nnull\nNaN\n-1\n9007199254740992\n\n{}\n[]\nSymbol(Symbol.iterator)\n10n\n[Function (anonymous)]\n{}"
const odd = [undefined, null, NaN, -1, 2 ** 53, '', {}, [], Symbol.iterator, 10n, () => {}, new Proxy({}, {})];
let survived = 0;
for (const a of odd) {
  for (const use of [() => setTimeout(a as any, a as any), () => clearTimeout(a as any), () => setInterval(a as any, a as any), () => callMCPTool(a as any, a as any), () => searchTools(a as any, a as any), () => fs.readFileSync(a as any), () => require(a as any), () => atob(a as any), () => new TextDecoder().decode(a as any), () => structuredClone(a), () => crypto.getRandomValues(a as any), () => console.log(a), () => new URL(a as any)]) {
    try { await (use() as any)?.catch?.(() => {}); } catch {}
    survived++;
  }
}
return 'survived';
