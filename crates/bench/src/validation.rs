//! Validating a program of 200 lines, compared with its time limit.
//!
//! Every run pays for it: parsing, reading what the program does, and judging it by all rules.
//! Parsing and reading are measured without the reader process. The findings are asserted, so that
//! a validator that looks at less does not count as fast.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{anyhow, ensure};
use tidegate_model::reading::Reading;
use tidegate_model::{Language, Severity};
use tidegate_validate::ValidationRules;

use crate::report::Figure;
use crate::samples::Samples;

const ROUNDS: usize = 50;

/// Lines of a program.
const LINES: usize = 200;

/// The time limit of a validation, in milliseconds.
const GOAL_MS: f64 = 5.0;

/// Part of a typical program; `{n}` makes each copy different.
const TYPESCRIPT: &str = "\
const page{n}: string[] = [];
for (let page = 1; page <= 20; page++) {
  const { items, next } = await servers.github.listIssues({ repo: 'acme/shop', page, state: 'open' });
  for (const issue of items.filter((one: any) => one.labels?.includes('bug'))) {
    const owner = issue.assignee?.login ?? 'nobody';
    page{n}.push(`#${issue.number} ${issue.title.trim()} (${owner}, ${issue.comments} comments)`);
    totals[owner] = (totals[owner] ?? 0) + Number(issue.points || 0) * 1.5;
  }
  if (!next || /^(last|end)$/.test(next)) break;
  await new Promise((resolve) => setTimeout(resolve, 50)); // be kind to the API
}
try {
  const report = page{n}.map((line, index) => ({ line, index, length: line.length }));
  await servers.files.writeFile({ path: './reports/{n}.md', content: JSON.stringify(report, null, 2) });
} catch (error) {
  console.log(`part {n} failed: ${(error as Error).message}`, { totals });
}
";

const PYTHON: &str = "\
page{n} = []
for page in range(1, 21):
    answer = servers.github.list_issues(repo='acme/shop', page=page, state='open')
    for issue in [one for one in answer['items'] if 'bug' in (one.get('labels') or [])]:
        owner = (issue.get('assignee') or {}).get('login', 'nobody')
        page{n}.append(f\"#{issue['number']} {issue['title'].strip()} ({owner}, {issue['comments']})\")
        totals[owner] = totals.get(owner, 0) + float(issue.get('points') or 0) * 1.5
    if not answer.get('next') or re.match(r'^(last|end)$', answer['next']):
        break
    time.sleep(0.05)  # be kind to the API
try:
    report = [{'line': line, 'index': index} for index, line in enumerate(page{n})]
    servers.files.write_file(path=f'./reports/{n}.md', content=json.dumps(report, indent=2))
except Exception as error:
    print(f'part {n} failed: {error}', totals)
";

pub(crate) fn measure() -> anyhow::Result<Vec<Figure>> {
    let rules = ValidationRules::built_in().map_err(|error| anyhow!("{error}"))?;
    let typescript =
        program("const totals: Record<string, number> = {};\n", TYPESCRIPT, "eval(page0[0])\n");
    let python = program("import json, re, time\ntotals = {}\n", PYTHON, "eval(page0[0])\n");
    Ok(vec![
        figure(&rules, Language::TypeScript, &typescript)?,
        figure(&rules, Language::Python, &python)?,
    ])
}

/// A program of exactly `LINES` lines; the last one is to be found.
fn program(head: &str, part: &str, last: &str) -> String {
    let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
    let whole = part.lines().count();
    let mut number = 0;
    while lines.len() + whole < LINES {
        lines.extend(part.replace("{n}", &number.to_string()).lines().map(str::to_owned));
        number += 1;
    }
    let missing = (LINES - 1).saturating_sub(lines.len());
    lines.extend((0..missing).map(|line| format!("totals['line{line}'] = {line}")));
    lines.push(last.trim_end().to_owned());
    lines.join("\n")
}

fn figure(rules: &ValidationRules, language: Language, source: &str) -> anyhow::Result<Figure> {
    ensure!(source.lines().count() == LINES, "the program does not have {LINES} lines");
    let mut samples = Samples::default();
    // The first round does not count: caches warm up.
    for round in 0..=ROUNDS {
        let started = Instant::now();
        let reading = read(language, black_box(source))?;
        let findings = rules.findings(language, &reading);
        let took = started.elapsed();
        let found = findings.iter().any(|one| one.severity >= Severity::High);
        ensure!(found && findings.iter().all(|one| one.line as usize == LINES), "{findings:?}");
        if round > 0 {
            samples.add(took);
        }
    }
    Ok(Figure {
        name: format!("validation, {LINES} lines of {}", language.as_str()),
        ms: samples.median(),
        yardstick: "the goal of 5 ms".to_owned(),
        yardstick_ms: GOAL_MS,
    })
}

fn read(language: Language, source: &str) -> anyhow::Result<Reading> {
    match language {
        Language::TypeScript => {
            let prepared =
                tidegate_typescript::prepare(source).map_err(|error| anyhow!("{error}"))?;
            Ok(prepared.reading)
        }
        Language::Python => {
            let analysis = tidegate_python::prepare(source);
            Ok(analysis.ok_or_else(|| anyhow!("the program is not read"))?.reading)
        }
    }
}
