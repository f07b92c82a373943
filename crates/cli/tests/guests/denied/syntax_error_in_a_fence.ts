```typescript
// expect: error program.syntax at line 6, column 15: Unexpected token
// hint: the line reads `return lead..name;`

const lead = { name: 'a' };
  return lead..name;
```
