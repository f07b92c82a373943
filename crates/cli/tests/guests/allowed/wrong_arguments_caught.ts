// expect: output ["call.bad_argument"]
// calls: 1
// A program may try what it is not sure of.
const codes: string[] = [];
try {
  await servers.crm.getLead({ id: 5 });
} catch (error) {
  codes.push(error.code);
}
return codes;
