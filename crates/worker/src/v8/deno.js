// Deno's part of the engine child: reads, writes and reports failures.
//
// A module on Deno's command line. In: our script as the first frame on standard
// input; see bootstrap.js for its arguments. Standard input and output are all that
// Deno gives a script without any permission.
import { Script } from "node:vm";
const { stdin, stdout, exit } = Deno;
const { setImmediate: later } = globalThis;
const listen = globalThis.addEventListener.bind(globalThis);
const io = {
  read: (bytes) => stdin.readSync(bytes) ?? 0,
  write: (bytes) => stdout.writeSync(bytes),
  exit: () => exit(1),
  later: (work) => { later(work); },
  compile: (source, filename) => new Script(source, { filename }).runInThisContext(),
  watch({ rejected, handled, threw, idle }) {
    listen("unhandledrejection", (event) => { event.preventDefault(); rejected(event.promise, event.reason); });
    listen("rejectionhandled", (event) => handled(event.promise));
    listen("error", (event) => { event.preventDefault(); threw(event.error); });
    listen("beforeunload", idle);
  },
};
const fill = (bytes) => {
  for (let at = 0; at < bytes.length;) {
    const count = io.read(bytes.subarray(at));
    if (count === 0) io.exit();
    at += count;
  }
  return bytes;
};
const length = new DataView(fill(new Uint8Array(4)).buffer).getUint32(0, true);
const script = io.compile(new TextDecoder().decode(fill(new Uint8Array(length)).subarray(5)), "tidegate:bootstrap");
later(script, io); // with nothing of this module on the stack
