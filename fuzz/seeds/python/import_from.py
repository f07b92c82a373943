from servers import github as gh
issues = gh.list_issues(repo="a/b", state="open")
result = [i["title"] for i in issues]
