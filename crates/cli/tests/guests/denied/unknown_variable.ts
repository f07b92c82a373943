// expect: error program.threw at line 3, column 8: ReferenceError: leeds is not defined
// hint: declare `leeds` first; a tool is called as `await servers.<server>.leeds({ … })`; the servers are `crm`, `drive`, `hostile`, `tracker`
return leeds.length;
