```typescript
// expect: output ["one","two"]
// sent as: CRLF
const lines = `one
two`.split('\n');

return lines;
```
