// expect: output "42"
servers.hostile.add({ a: 40, b: 2 });
