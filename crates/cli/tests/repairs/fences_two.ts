```typescript
const page = await servers.crm.listLeads({ limit: 2 });
```

Then:

```typescript
return page.leads.length;
```
