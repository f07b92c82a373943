// expect: error program.threw at line 7, column 46: the program threw: RangeError: need 2 rows, got 1
interface Row { id: number }

const rows: Row[] = [{ id: 1 }];
function total(list: Row[]): number {
  if (list.length < 2) {
    throw new RangeError(`need 2 rows, got ${list.length}`);
  }
  return list.length;
}
return total(rows);
