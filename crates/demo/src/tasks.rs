//! Three tasks, each done the classic way and as one program.
//!
//! In: nothing. Out: for each task the calls a model would have to make one by
//! one, the program it would write instead, and the right answer, computed
//! here straight from the data.
//! Invariant: both ways make the same calls with the same arguments, and the
//! classic way reads no more than it must: the tasks ask for shares of a whole, which no
//! server can compute. Only what passes through the model
//! differs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use tidegate_model::Language;

use super::ServerName;
use super::calendar::{TODAY, instant};
use super::issues::{State, issues};
use super::leads::{Status, customer_id, leads};
use super::transcript;

/// One thing that a user might ask for.
#[derive(Debug)]
pub struct Task {
    /// A few words for a heading.
    pub title: &'static str,
    /// What the user says.
    pub ask: &'static str,
    /// What a model searches for before it writes the program, and the tool that it must find.
    pub(crate) searches: &'static [(&'static str, &'static str)],
    /// The TypeScript that a model writes.
    typescript: &'static str,
    /// The same in Python.
    python: &'static str,
    /// What the classic way does instead, in this order.
    pub(crate) classic: fn() -> Vec<ClassicStep>,
    /// What the program must return.
    pub(crate) expected: fn() -> Value,
}

impl Task {
    /// What a model writes.
    pub const fn program(&self, language: Language) -> &'static str {
        match language {
            Language::TypeScript => self.typescript,
            Language::Python => self.python,
        }
    }
}

/// A step of the classic way. The model writes all arguments and reads all
/// results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClassicStep {
    /// One call.
    Call {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: &'static str,
        /// Its arguments, an object.
        arguments: Value,
    },
    /// The same call for each page, with the `next_cursor` of the previous answer as
    /// `cursor`, until there is none.
    Pages {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: &'static str,
        /// The arguments of the first call, an object.
        arguments: Value,
        /// The key of each page that holds the items.
        items_key: &'static str,
    },
    /// A call into which the model copies the text result of the step before,
    /// token by token.
    CallWithPrevious {
        /// The server.
        server: ServerName,
        /// The tool.
        tool: &'static str,
        /// Its other arguments, an object.
        arguments: Value,
        /// The argument that takes the text.
        field: &'static str,
    },
}

/// All tasks, in the order they are shown.
pub const TASKS: [Task; 3] = [
    Task {
        title: "A transcript from the drive into the CRM",
        ask: "Attach the transcript of our quarterly review on 12 March to the lead of \
              Halvorsen Freight, and tell me how many action items it has.",
        searches: &[
            ("read a file on the drive", "servers.drive.readFile"),
            ("search leads by company", "servers.crm.searchLeads"),
            ("attach a note to a lead", "servers.crm.createNote"),
        ],
        typescript: include_str!("programs/attach_transcript.ts"),
        python: include_str!("programs/attach_transcript.py"),
        classic: attach_transcript,
        expected: expected_attachment,
    },
    Task {
        title: "1,000 leads by country",
        ask: "Which five countries have the most value in qualified leads, and how many of all \
              leads there are qualified?",
        searches: &[("list all leads", "servers.crm.listLeads")],
        typescript: include_str!("programs/leads_by_country.ts"),
        python: include_str!("programs/leads_by_country.py"),
        classic: all_leads,
        expected: expected_countries,
    },
    Task {
        title: "10,000 issues by assignee",
        ask: "Of all issues assigned to a person, how many are open bugs older than 90 days, as \
              of 1 April 2026? Show the ten people with the largest share.",
        searches: &[("list all issues", "servers.tracker.listIssues")],
        typescript: include_str!("programs/old_bugs.ts"),
        python: include_str!("programs/old_bugs.py"),
        classic: all_issues,
        expected: expected_people,
    },
];

fn attach_transcript() -> Vec<ClassicStep> {
    vec![
        ClassicStep::Call {
            server: ServerName::Crm,
            tool: "search_leads",
            arguments: json!({"query": transcript::CUSTOMER}),
        },
        ClassicStep::Call {
            server: ServerName::Drive,
            tool: "read_file",
            arguments: json!({"path": transcript::PATH}),
        },
        ClassicStep::CallWithPrevious {
            server: ServerName::Crm,
            tool: "create_note",
            arguments: json!({"lead_id": customer_id()}),
            field: "text",
        },
    ]
}

fn all_leads() -> Vec<ClassicStep> {
    vec![ClassicStep::Pages {
        server: ServerName::Crm,
        tool: "list_leads",
        arguments: json!({"limit": 200}),
        items_key: "leads",
    }]
}

fn all_issues() -> Vec<ClassicStep> {
    vec![ClassicStep::Pages {
        server: ServerName::Tracker,
        tool: "list_issues",
        arguments: json!({"limit": 500}),
        items_key: "issues",
    }]
}

fn expected_attachment() -> Value {
    json!({"lead": customer_id(), "action_items": transcript::action_items()})
}

#[derive(Default)]
struct Country {
    qualified: usize,
    value_cents: u64,
    leads: usize,
}

fn expected_countries() -> Value {
    let mut countries: BTreeMap<&str, Country> = BTreeMap::new();
    for lead in leads() {
        let row = countries.entry(lead.country).or_default();
        row.leads += 1;
        if lead.status == Status::Qualified {
            row.qualified += 1;
            row.value_cents += lead.value_cents;
        }
    }
    let mut rows: Vec<(&str, Country)> = countries.into_iter().collect();
    rows.sort_by_key(|(_, row)| Reverse(row.value_cents));
    rows.iter()
        .take(5)
        .map(|(country, row)| {
            let Country { qualified, value_cents, leads } = row;
            json!({
                "country": country,
                "qualified": qualified,
                "value_cents": value_cents,
                "leads": leads,
            })
        })
        .collect()
}

#[derive(Default)]
struct Person {
    old_bugs: usize,
    issues: usize,
}

fn expected_people() -> Value {
    let cutoff = instant(TODAY - 90, 0);
    let mut people: BTreeMap<&str, Person> = BTreeMap::new();
    for issue in issues() {
        let Some(assignee) = issue.assignee else { continue };
        let row = people.entry(assignee).or_default();
        row.issues += 1;
        let is_bug = issue.labels.iter().any(|label| label == "bug");
        if issue.state == State::Open && is_bug && issue.created_at < cutoff {
            row.old_bugs += 1;
        }
    }
    let mut rows: Vec<(&str, Person)> = people.into_iter().collect();
    // Whole numbers, so that no rounding decides: a/b > c/d as a*d > c*b. Stable,
    // and the map is in the order of names: equal shares stay in it.
    rows.sort_by(|(_, a), (_, b)| (b.old_bugs * a.issues).cmp(&(a.old_bugs * b.issues)));
    rows.iter()
        .take(10)
        .map(|(assignee, Person { old_bugs, issues })| {
            json!({"assignee": assignee, "old_bugs": old_bugs, "issues": issues})
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tidegate_model::Language;

    use super::super::transcript;
    use super::{TASKS, Task};

    fn expected() -> [Value; 3] {
        TASKS.map(|task: Task| (task.expected)())
    }

    #[test]
    fn the_right_answers_never_change() {
        let [attachment, countries, people] = expected();
        assert_eq!(attachment, json!({"lead": "L-0417", "action_items": 16}));
        assert_eq!(
            countries,
            json!([
                {"country": "US", "qualified": 23, "value_cents": 279425000, "leads": 112},
                {"country": "GB", "qualified": 22, "value_cents": 274275000, "leads": 104},
                {"country": "DE", "qualified": 24, "value_cents": 271125000, "leads": 126},
                {"country": "FR", "qualified": 19, "value_cents": 234600000, "leads": 68},
                {"country": "NL", "qualified": 19, "value_cents": 225825000, "leads": 110},
            ])
        );
        assert_eq!(
            people,
            json!([
                {"assignee": "lena", "old_bugs": 37, "issues": 406},
                {"assignee": "uma", "old_bugs": 10, "issues": 114},
                {"assignee": "nadia", "old_bugs": 28, "issues": 333},
                {"assignee": "yusuf", "old_bugs": 1, "issues": 12},
                {"assignee": "kofi", "old_bugs": 32, "issues": 385},
                {"assignee": "sofia", "old_bugs": 14, "issues": 171},
                {"assignee": "viktor", "old_bugs": 7, "issues": 90},
                {"assignee": "farah", "old_bugs": 49, "issues": 633},
                {"assignee": "ravi", "old_bugs": 17, "issues": 220},
                {"assignee": "tomas", "old_bugs": 11, "issues": 143},
            ])
        );
    }

    #[test]
    fn no_two_countries_tie_so_the_order_is_certain() {
        let [_, countries, _] = expected();
        let values: Vec<u64> = countries
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["value_cents"].as_u64().unwrap())
            .collect();
        assert!(values.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn the_program_names_the_file_and_customer_of_the_data() {
        for program in [Language::TypeScript, Language::Python].map(|one| TASKS[0].program(one)) {
            assert_eq!(program.matches(transcript::PATH).count(), 1);
            assert_eq!(program.matches(transcript::CUSTOMER).count(), 1);
        }
        assert_eq!(TASKS[0].ask.matches(transcript::CUSTOMER).count(), 1);
    }
}
