// expect: error call.tool_failed at line 3, column 25: `hostile__fail` failed, its server says: disk full
async function save() {
  await servers.hostile.fail({ message: 'disk full' });
}

save();
return 'saved';
