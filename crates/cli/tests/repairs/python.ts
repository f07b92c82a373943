leads = servers.crm.list_leads(limit=2)
for lead in leads:
    print(f"{lead['id']}")
