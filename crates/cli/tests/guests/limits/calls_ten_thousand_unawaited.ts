// expect: output "done"
// calls: 10000
for (let i = 0; i < 10_000; i++) servers.hostile.echo({ text: `${i}` }).catch(() => {});
return 'done';
