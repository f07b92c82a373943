// expect: output [true,true]
let depth = 0;
const dive = () => { depth++; dive(); };
try { dive(); } catch (error) { return [error instanceof RangeError, depth > 100]; }
