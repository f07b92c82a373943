// expect: error program.syntax at line 18, column 71: the program does not parse: Unexpected token
// hint: the run suggests: the line reads `const broken = page.leads.filter((lead: Lead) => { return lead.id === });`
interface Lead {
  id: string;
  name: string;
}

type Page = {
  leads: Lead[];
  next_cursor?: string;
};

declare function unused(page: Page): void;

enum State { New, Won }

const page: Page = { leads: [] };
const broken = page.leads.filter((lead: Lead) => { return lead.id === });
