// expect: error call.tool_failed at line 5, column 49: `hostile__fail` failed, its server says: item 1 is out of stock
const stock = [1, 2];

for (const item of stock) {
  await servers.hostile.fail({ message: `item ${item} is out of stock` });
}
