// expect: error call.unknown_server at line 3, column 28: there is no server `crn`
// hint: the servers are `crm`, `drive`, `hostile`, `tracker`
const lead = await servers.crn.getLead({ id: 'L-0001' });
