// expect: output 7
const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
const view = new Uint8Array(buffer);
const evil = { valueOf() { buffer.resize(0); return 8; } };
const results: string[] = [];
for (const use of [() => new TextDecoder().decode(view.subarray(0, evil as any)), () => view.fill(1, 0, evil as any), () => new DataView(buffer).getUint8(evil as any), () => crypto.getRandomValues(view), () => structuredClone(view), () => btoa(String(view)), () => buffer.transfer?.(evil as any)]) {
  try { use(); results.push('fine'); } catch (error) { results.push((error as Error).name); }
}
return results.length;
