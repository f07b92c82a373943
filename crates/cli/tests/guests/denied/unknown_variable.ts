// expect: error program.threw at line 3, column 8: the program threw: ReferenceError: leeds is not defined
// hint: the run suggests: declare `leeds` first; a tool is called as `await servers.<server>.leeds({ … })`; the servers are `crm`, `drive`, `hostile`, `tracker`
return leeds.length;
