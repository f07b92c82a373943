def main():
    return servers.crm.list_leads(limit=2)

main()
