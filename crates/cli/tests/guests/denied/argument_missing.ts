// expect: error call.bad_argument at line 2, column 19: `crm__get_lead` needs `id` (string)
await servers.crm.getLead();
