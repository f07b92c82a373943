//! The examples of the Python rules, and bounds of assembled paths.

use tidegate_model::reading::TOKEN_COMPARISON;
use tidegate_model::{Finding, Language, Severity};
use tidegate_validate::{Expected, ValidationRules};

use crate::prepare;

fn findings(source: &str) -> Vec<Finding> {
    let reading = prepare(source).map(|read| read.reading).unwrap_or_default();
    ValidationRules::built_in().unwrap().findings(Language::Python, &reading)
}

/// The examples in the rule files.
#[test]
fn every_rule_finds_its_bad_examples_and_none_of_its_good_ones() {
    let rules = ValidationRules::built_in().unwrap();
    let examples = ValidationRules::built_in_examples().unwrap();
    let mut wrong = Vec::new();
    for example in examples.iter().filter(|one| one.language == Language::Python) {
        let reading = prepare(&example.source).map(|read| read.reading).unwrap_or_default();
        let found = rules.findings(Language::Python, &reading);
        let is_own = found.iter().any(|one| one.rule == example.id);
        let is_high = found.iter().any(|one| one.severity > Severity::Low);
        let holds = match example.expected {
            Expected::Finding => is_own,
            Expected::NoFinding => !is_own,
            Expected::Harmless => !is_high,
            Expected::Harmful => is_high,
        };
        if !holds {
            let found: Vec<String> =
                found.iter().map(|one| format!("{} {:?}", one.rule, one.severity)).collect();
            let facts: Vec<String> = reading
                .facts
                .iter()
                .map(|fact| format!("{:?} {} {:?}", fact.kind, fact.path, fact.arguments))
                .collect();
            wrong.push(format!(
                "{} {:?}:\n{}\n  {found:?}\n  {}",
                example.id,
                example.expected,
                example.source,
                facts.join("\n  ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} do not hold\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn a_finding_says_what_where_and_what_to_do_instead() {
    let found = findings("import os\nx = os.system('ls')");
    let expected = Finding {
        rule: "python.process".into(),
        severity: Severity::High,
        line: 2,
        column: 5,
        message:
            "`os.system` starts another process: programs have no processes to start, and the \
                  program does not show what it would do"
                .into(),
        suggestion: "use `commands.run(name, args)` with a configured command".into(),
    };
    assert_eq!(found, [expected]);
}

/// Each of these used to double with every line until memory ran out.
#[test]
fn paths_joined_to_themselves_stay_short() {
    let import = "import os\nfrom pathlib import Path\n";
    for (first, replaying) in [
        ("a = 'x'\n", "a = os.path.join(a, a)\n"),
        ("a = Path('x')\n", "a = a / a\n"),
        ("a = Path('x')\n", "a = a.joinpath(a)\n"),
        ("a = Path('x')\n", "a = Path(a, a)\n"),
    ] {
        let source = format!("{import}{first}{}open(a)", replaying.repeat(60));
        assert!(findings(&source).iter().all(|one| one.severity < Severity::High), "{source}");
    }
}

#[test]
fn comparisons_with_tokens_are_noticed_and_other_uses_are_not() {
    let lines = |source: &str| -> Vec<u32> {
        let facts = prepare(source).unwrap().reading.facts;
        facts.iter().filter(|fact| fact.path == TOKEN_COMPARISON).map(|fact| fact.line).collect()
    };
    for source in [
        "found = [row for row in rows if row.email == '[EMAIL_1]']",
        "if '[NAME_12]' != row.name: pass",
        "who = '[EMAIL_1]'; found = [row for row in rows if row.email == who]",
        "'[PHONE_3]' in text",
        "row.email in ('[EMAIL_1]', '[EMAIL_2]')",
        "text.startswith('[NAME_1]')",
        "match row.email:\n  case '[EMAIL_1]': pass",
        "found = [row for row in rows if row.email in {'[EMAIL_1]'}]",
        "{'[EMAIL_1]': 1}[row.email]",
        "{'[EMAIL_1]': 1}.get(row.email)",
        "by_email.get('[EMAIL_1]')",
        "row.email in {'[EMAIL_1]': 1}",
        r"import re; re.search('\[EMAIL_1\]', text)",
        "text.replace('[EMAIL_1]', '')",
        "text.split('[NAME_1]')",
    ] {
        assert_eq!(lines(source).len(), 1, "{source}");
    }
    for source in [
        "servers.crm.find(email='[EMAIL_1]')",
        "pii.equals(row.email, '[EMAIL_1]')",
        "row.kind == '[NOTE_1]'",
        "text.replace('{to}', '[EMAIL_1]')",
        "servers.crm.get('[EMAIL_1]')",
        "for to in {'[EMAIL_1]'}: servers.mail.send(to=to)",
        "import re; re.search('[EMAIL_1]', text)",
        "row.text == 'to [EMAIL_1]'",
        "row.email == other",
    ] {
        assert_eq!(lines(source), [] as [u32; 0], "{source}");
    }
}
