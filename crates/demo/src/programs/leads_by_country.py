from servers import crm

countries, cursor, more = {}, None, True
while more:
    page = crm.list_leads(limit=200, cursor=cursor)
    for lead in page.leads:
        row = countries.setdefault(lead.country, {"country": lead.country, "qualified": 0, "value_cents": 0, "leads": 0})
        row["leads"] += 1
        if lead.status == "qualified":
            row["qualified"] += 1
            row["value_cents"] += lead.value_cents
    cursor = page.get("next_cursor")
    more = cursor is not None
sorted(countries.values(), key=lambda row: -row["value_cents"])[:5]
