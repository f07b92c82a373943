// expect: error call.bad_argument at line 2, column 19: `crm__list_leads`: `status` must be one of `"new"`, `"contacted"`, `"qualified"`, `"lost"`, `"won"`, got string `"open"`
await servers.crm.listLeads({ status: 'open' });
