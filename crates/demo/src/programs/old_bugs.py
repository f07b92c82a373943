from datetime import datetime, timedelta
from servers import tracker

cutoff = (datetime(2026, 4, 1) - timedelta(days=90)).isoformat()
people, cursor, more = {}, None, True
while more:
    page = tracker.list_issues(limit=500, cursor=cursor)
    for issue in page.issues:
        if not issue.assignee:
            continue
        row = people.setdefault(issue.assignee, {"assignee": issue.assignee, "old_bugs": 0, "issues": 0})
        row["issues"] += 1
        row["old_bugs"] += issue.state == "open" and "bug" in issue.labels and issue.created_at < cutoff
    cursor = page.get("next_cursor")
    more = cursor is not None
sorted(people.values(), key=lambda row: (-row["old_bugs"] / row["issues"], row["assignee"]))[:10]
