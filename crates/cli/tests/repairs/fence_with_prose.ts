Here is the program:

```typescript
const page = await servers.crm.listLeads({ limit: 2 });
return page.leads.length;
```

It counts the leads.
