// expect: output "left by a call that nobody awaits"
// Runs after the one before, by its name.
return (await servers.crm.getLead({ id: 'L-0009' })).notes.at(-1);
