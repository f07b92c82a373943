import * as tracker from './servers/tracker';

const cutoff = Date.parse('2026-04-01') - 90 * 86_400_000;
const people: Record<string, { old_bugs: number; issues: number }> = {};
let cursor: string | undefined;
do {
  const page = await tracker.listIssues({ limit: 500, cursor });
  for (const issue of page.issues) {
    if (!issue.assignee) continue;
    const row = (people[issue.assignee] ??= { old_bugs: 0, issues: 0 });
    row.issues += 1;
    const open_bug = issue.state === 'open' && issue.labels.includes('bug');
    if (open_bug && Date.parse(issue.created_at) < cutoff) row.old_bugs += 1;
  }
  cursor = page.next_cursor;
} while (cursor);
return Object.entries(people)
  .map(([assignee, row]) => ({ assignee, ...row }))
  .sort((a, b) => b.old_bugs / b.issues - a.old_bugs / a.issues || (a.assignee < b.assignee ? -1 : 1))
  .slice(0, 10);
