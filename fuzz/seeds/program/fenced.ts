```ts
// expect: output "fenced"
const text: string = await servers.hostile.echo({ text: 'fenced' });
return text;
```
