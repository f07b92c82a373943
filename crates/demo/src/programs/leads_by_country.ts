import * as crm from './servers/crm';

const countries: Record<string, { qualified: number; value_cents: number; leads: number }> = {};
let cursor: string | undefined;
do {
  const page = await crm.listLeads({ limit: 200, cursor });
  for (const lead of page.leads) {
    const row = (countries[lead.country] ??= { qualified: 0, value_cents: 0, leads: 0 });
    row.leads += 1;
    if (lead.status !== 'qualified') continue;
    row.qualified += 1;
    row.value_cents += lead.value_cents;
  }
  cursor = page.next_cursor;
} while (cursor);
return Object.entries(countries)
  .map(([country, row]) => ({ country, ...row }))
  .sort((a, b) => b.value_cents - a.value_cents)
  .slice(0, 5);
