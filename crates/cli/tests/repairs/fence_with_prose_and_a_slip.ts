Here is the program:

```typescript
const page = await servers.crm.listLeed({ limit: 2 });
return page.leads.length;
```

It counts the leads.
