// expect: output "returned first"
// logs: "nobody awaits this"
// calls: 2
servers.hostile.echo({ text: 'nobody awaits this' }).then((text) => console.log(text));
servers.crm.createNote({ lead_id: 'L-0009', text: 'left by a call that nobody awaits' });
return 'returned first';
