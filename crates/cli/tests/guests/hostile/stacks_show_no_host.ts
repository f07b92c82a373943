// expect: output ["(program.ts","(tidegate"]
Error.stackTraceLimit = 100;
const stacks: string[] = [];
try { (null as any).x; } catch (error) { stacks.push(error.stack); }
try { await servers.hostile.fail({ message: 'm' }); } catch (error) { stacks.push(error.stack); }
try { servers.nowhere; } catch (error) { stacks.push(error.stack); }
try { require('nothing'); } catch (error) { stacks.push(error.stack); }
try { new URL('::'); } catch (error) { stacks.push(error.stack); }
const places = stacks.join('\n').match(/\(([^():]+)(?=[:)])/g) ?? [];
return [...new Set(places)].sort();
