// expect: output {"labels":["bug"],"sorted":["a","b"],"issues":2,"lengths":[6,7],"lead":"L-0001"}
// calls: 6
// TypeScript sees more in these arguments than there will ever be in them.
const urgent = '';
const { labels } = await servers.tracker.setLabels({ id: 7, labels: ['bug', urgent && 'urgent', urgent.length > 0 && 'late'].filter(Boolean) });
const { labels: sorted } = await servers.tracker.setLabels({ id: 7, labels: ['a', 'b'].sort((a, b) => a > b) });

const total = 5;
const page = await servers.tracker.listIssues({ limit: parseInt(total / 2) });

const lengths = [];
for (const [id, text, n] of [['L-0001', 'called', 5], ['L-0002', 'written', 6]]) {
  const note = await servers.crm.createNote({ lead_id: id, text });
  lengths.push(note.length);
}
/* 🌊🌊🌊 */ const given: string | number = JSON.parse('"L-0001"'); const lead = await servers.crm.getLead({ id: given });
return { labels, sorted, issues: page.issues.length, lengths, lead: lead.id };
