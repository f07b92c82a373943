// expect: output ["true,undefined,undefined,undefined"]
// Every way up from an injected object ends in the guest's own realm.
const found = [servers, servers.crm, servers.crm.getLead, callMCPTool, searchTools, console, console.log, process, fs, fs.readFileSync, ToolError, setTimeout, require, URL, crypto, TextEncoder]
  .map((thing: any) => {
    const make = (thing.constructor ?? Object).constructor;
    return make('return [this === globalThis, typeof process.binding, typeof process.mainModule, typeof Deno]')().join();
  });
return [...new Set(found)];
