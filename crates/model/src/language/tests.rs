use super::Language;

/// As models write them.
const PYTHON: [&str; 47] = [
    "from servers import github\nissues = github.list_issues(repo='a/b')\nresult = len(issues)",
    "import json\nprint(json.dumps({'a': 1}))",
    "async def main():\n    return await servers.time.now()\nmain()",
    "# count\ntotal = sum(x for x in range(3))\ntotal",
    "Here it is:\n```python\n1 + 1\n```",
    "```py\nservers.crm.list_leads()\n```",
    "for i in range(3):\n    print(i)",
    "result = 1",
    "x = 1\ny = 2\nx + y",
    "# nothing to do",
    "text = \"\"\"\n```js\nconst x = 1;\n```\n\"\"\"\nprint(len(text))",
    "#!/usr/bin/env python3\nprint('x')",
    "\"\"\"Counts the open issues of const repo; let it run.\n\nfunction foo() { return 1; }\n\"\"\"\nimport os",
    "len('hello')",
    "print('hello')",
    "[x * 2 for x in range(10)]",
    "{k: v for k, v in data}",
    "sorted({'b': 1, 'a': 2})",
    "servers.crm.list_leads(limit=5)",
    "await servers.crm.list_leads(limit=5, status='open')",
    "leads = servers.crm.list_leads({'limit': 5})",
    "from servers.crm import list_leads\nlist_leads(limit=1)",
    "import servers.crm as crm\ncrm.list_leads()",
    "call_tool('crm__list_leads', {'limit': 5}) or None",
    "lambda x: x + 1",
    "payload = {\n    'name': 'Ann',\n    'tags': ['a', 'b'],\n}\nservers.crm.create_lead(payload)",
    "data = [\n    {'a': 1},\n    {'a': 2},\n]\nsum(d['a'] for d in data)",
    "def add(a: int, b: int = 2) -> int:\n    return a + b\nadd(1)",
    "class A:\n    def __init__(self):\n        self.x = 1\nA().x",
    "try:\n    servers.crm.get_lead(id='1')\nexcept ToolError as e:\n    print(e)",
    "with open('workspace/a.txt', 'w') as f:\n    f.write('x')",
    "if x is None and not y:\n    pass",
    "match command:\n    case 'go':\n        result = 1\n    case _:\n        result = 2",
    "import asyncio\nresults = await asyncio.gather(*[servers.crm.get_lead(id=i) for i in ids])",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)",
    "total = 0\nfor lead in servers.crm.list_leads()['leads']:\n    if lead['open']:\n        total += 1\nresult = total",
    "while True:\n    break",
    "name = 'x'\nf'hello {name}'",
    "import re, json\nm = re.search(r'\\d+', 'a1')\nm.group(0) if m else None",
    "def f():\n    return await_(1)\nf()",
    "async def main():\n    leads = await servers.crm.list_leads()\n    return leads\n\nawait main()",
    "x = 7 // 2\nx",
    "a, b = 1, 2\na if a > b else b",
    "True",
    "rows = [r for r in rows if r['status'] == 'open' and r['n'] > 3]",
    "# Step 1: get the leads\nleads = servers.crm.list_leads()\n# Step 2: don't forget to count\nlen(leads['leads'])",
    "html = '''\n<script>const a = 1; let b = () => {};</script>\n'''\nprint(len(html))",
];

const TYPESCRIPT: [&str; 42] = [
    "return 1",
    "1 + 1",
    "",
    "x",
    "'hello'",
    "42",
    "import * as github from './servers/github'\nreturn github.listIssues({})",
    "import { listIssues } from './servers/github'\nlistIssues({ repo: 'a/b' })",
    "import github from './servers/github'\ngithub.listIssues()",
    "import fs from 'fs/promises'\nawait fs.readFile('a')",
    "const a = 1;\nconsole.log(a);",
    "const a = 1\nconsole.log(a)",
    "async () => { return 1 }",
    "```ts\nfor (const x of y) {}\n```",
    "```javascript\nprint(1)\n```",
    "servers.time.now()",
    "await servers.time.now()",
    "return await servers.crm.listLeads({ limit: 5 })",
    "servers.crm.listLeads({ limit: 5 })",
    "for (const x of [1]) {\n  console.log(x)\n}",
    "let total = 0\nfor (const x of [1, 2]) total += x\ntotal",
    "if (a) {\n  b = c\n}",
    "// count the leads\nservers.crm.listLeads()",
    "// only a comment, and not more",
    "/* nothing\n   in here and not there */",
    "callMCPTool('crm__list_leads', { limit: 5 })",
    "[1, 2, 3].map(x => x * 2)",
    "[1, 2, 3].map((x) => x * 2).filter(Boolean).length",
    "function add(a, b) {\n  return a + b\n}\nadd(1, 2)",
    "async function main() {\n  return await servers.time.now()\n}\nmain()",
    "export default await servers.time.now()",
    "interface Lead {\n  id: string\n}\nconst lead: Lead = { id: '1' }\nlead",
    "type A = { a: number }\nconst a: A = { a: 1 }\nreturn a",
    "class A {\n  #x = 1\n  get x() { return this.#x }\n}\nnew A().x",
    "try {\n  await servers.crm.getLead({ id: '1' })\n} catch (e) {\n  console.log(e)\n}",
    "const py = `\nimport os\nfrom x import y\ndef f():\n    print('x')\n`\nreturn py.length",
    "const text = 'print(1) and not True'\nreturn text",
    "return null",
    "const { leads } = await servers.crm.listLeads({})\nreturn leads.filter(l => l.open && l.n > 3)",
    "x = 1;\ny = 2;\nx + y;",
    "switch (x) {\n  case 1:\n    break;\n  default:\n    y();\n}",
    "const total = leads.reduce((sum, l) => sum + l.value, 0) // the sum of all and not less\ntotal",
];

#[test]
fn programs_are_told_apart_by_their_lines() {
    let mut wrong: Vec<&&str> = Vec::new();
    for (programs, language) in
        [(PYTHON.as_slice(), Language::Python), (&TYPESCRIPT, Language::TypeScript)]
    {
        wrong.extend(programs.iter().filter(|source| Language::of(source) != language));
    }
    assert_eq!(wrong, Vec::<&&str>::new());
}

#[test]
fn a_long_source_is_told_soon() {
    for part in ["'", "\"\"\" x", "`#", "f(a=", "{", "a=", "f(a=a", "\\", "x = 1\n"] {
        let begun = std::time::Instant::now();
        let _ = Language::of(&part.repeat(1_000_000 / part.len()));
        // It takes a tenth of this without optimisation, and would take hours if
        // quadratic.
        assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{part}");
    }
}

#[test]
fn words_of_requests_are_understood() {
    assert_eq!(Language::parse("Python"), Some(Language::Python));
    assert_eq!(Language::parse("js"), Some(Language::TypeScript));
    assert_eq!(Language::parse("ruby"), None);
}
