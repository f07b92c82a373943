```typescript
// expect: error program.syntax at line 6, column 15: the program does not parse: Unexpected token
// hint: the run suggests: the line reads `return lead..name;`

const lead = { name: 'a' };
  return lead..name;
```
