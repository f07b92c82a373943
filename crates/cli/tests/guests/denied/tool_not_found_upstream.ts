// expect: error call.tool_failed at line 2, column 19: `crm__get_lead` failed, its server says: Lead not found: `L-9999`. Ids look like `L-0042`; use `search_leads` to find one.
await servers.crm.getLead({ id: 'L-9999' });
