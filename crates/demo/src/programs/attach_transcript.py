from servers import crm, drive

text = drive.read_file(path="meetings/2026-03-12-quarterly-review.txt").text
lead = crm.search_leads(query="Halvorsen Freight").leads[0]
crm.create_note(lead_id=lead.id, text=text)
result = {"lead": lead.id, "action_items": text.count("ACTION: ")}
