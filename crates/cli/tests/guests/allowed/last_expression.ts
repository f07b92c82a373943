// expect: output [2,4]
const rows = [{ n: 1 }, { n: 2 }];
rows.map((row) => row.n * 2);
