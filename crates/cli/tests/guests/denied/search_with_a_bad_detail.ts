// expect: error call.bad_argument at line 3, column 7: `searchTools` takes a query and a detail level
// hint: write `searchTools("read a file", "full")`
await searchTools('leads', 'everything');
