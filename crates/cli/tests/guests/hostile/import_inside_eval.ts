// expect: output "ReferenceError"
return await eval("import('node:fs')").then(() => 'imported', (error: Error) => error.name);
