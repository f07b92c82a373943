//! The files of the demo's drive.

use std::collections::BTreeMap;

use super::calendar::date;
use super::leads::leads;
use super::random::Random;
use super::transcript::{self, transcript};

/// How many leads `exports/contacts.csv` has.
const CONTACTS: usize = 250;

/// All files by path.
pub(crate) fn files() -> BTreeMap<String, String> {
    let mut random = Random::new(0x0d21_f001);
    let mut files = BTreeMap::from([
        (transcript::PATH.to_owned(), transcript()),
        ("exports/contacts.csv".to_owned(), contacts()),
    ]);
    for week in 1..=12 {
        // 2026-01-05 is the Monday of the first week.
        let monday = date(735 + 7 * (week - 1));
        files.insert(format!("reports/2026-w{week:02}.md"), weekly_report(&monday, &mut random));
    }
    for (position, topic) in MEETINGS.iter().enumerate() {
        // One per week, from Tuesday to Friday in turn.
        let day = date(736 + 7 * position + position % 4);
        files.insert(
            format!("meetings/{day}-{}.txt", topic.replace(' ', "-")),
            minutes(&day, topic, &mut random),
        );
    }
    for (path, text) in FIXED {
        files.insert((*path).to_owned(), (*text).to_owned());
    }
    files
}

fn contacts() -> String {
    let mut csv = String::from("name,email,phone,company,country\n");
    for lead in leads().iter().take(CONTACTS) {
        let row = [&lead.name, &lead.email, &lead.phone, &lead.company, lead.country];
        csv.push_str(&row.join(","));
        csv.push('\n');
    }
    csv
}

fn weekly_report(monday: &str, random: &mut Random) -> String {
    let mut text =
        format!("# Week of {monday}\n\n| area | done | open | late |\n|---|---|---|---|\n");
    for area in ["Sales", "Support", "Product", "Operations"] {
        let (done, open, late) = (random.between(8, 60), random.between(2, 30), random.below(9));
        text.push_str(&format!("| {area} | {done} | {open} | {late} |\n"));
    }
    text.push('\n');
    for _ in 0..3 {
        let template = random.pick(&REMARKS);
        text.push_str(&format!("- {}\n", random.fill(template, SLOTS)));
    }
    text
}

fn minutes(day: &str, topic: &str, random: &mut Random) -> String {
    let mut text = format!("Minutes: {topic}\nDate: {day}\n\n");
    for _ in 0..6 {
        let template = random.pick(&REMARKS);
        text.push_str(&format!("* {}\n", random.fill(template, SLOTS)));
    }
    text
}

const MEETINGS: [&str; 8] = [
    "planning",
    "pricing",
    "support rota",
    "pilot kick off",
    "budget",
    "hiring",
    "incident review",
    "partner call",
];

const REMARKS: [&str; 8] = [
    "{who} closed {n} items and handed the rest to {other}.",
    "The {work} is {n} days late; {who} will report on Monday.",
    "{n} customers asked about the {work}.",
    "Decided: no change to the {work} before summer.",
    "{who} and {other} agreed on a limit of {n} per week.",
    "Open: who pays for the {work}?",
    "The {work} went live without trouble.",
    "{who} asks for {n} more days for the {work}.",
];

const SLOTS: &[(&str, &[&str])] = &[
    ("who", &["Marta", "Jonas", "Priya", "Tom"]),
    ("other", &["Grace", "Samuel", "Luca", "Aisha"]),
    (
        "work",
        &[
            "price list",
            "status page",
            "customs module",
            "new planner",
            "partner portal",
            "data export",
        ],
    ),
];

const FIXED: &[(&str, &str)] = &[
    (
        "README.md",
        "# Shared drive\n\n* `meetings/`: minutes and transcripts\n* `reports/`: one report per week\n* `exports/`: data from other systems\n* `templates/`: texts to start from\n",
    ),
    (
        "templates/follow-up.md",
        "Dear {name},\n\nthank you for the meeting on {date}. We agreed on the following:\n\n{items}\n\nKind regards\n",
    ),
    (
        "templates/offer.md",
        "# Offer for {company}\n\nValid until {date}.\n\n| item | price |\n|---|---|\n",
    ),
    (
        "templates/minutes.txt",
        "Minutes: {topic}\nDate: {date}\n\nPresent:\n\nDecisions:\n\nACTION: Owner: text (due date)\n",
    ),
    (
        "policies/travel.md",
        "# Travel\n\nBook by rail below six hours. Ask before you book a flight.\n",
    ),
    (
        "policies/retention.md",
        "# Retention\n\nRecordings are deleted after 90 days, transcripts after two years.\n",
    ),
    (
        "exports/sites.csv",
        "site,country,gates\nBergen,NO,4\nRotterdam,NL,11\nGdansk,PL,6\nAntwerp,BE,9\nHamburg,DE,12\n",
    ),
    (
        "notes/renewal-ideas.txt",
        "Split the offer by site. Three years with a way out after one. Ask about night support.\n",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::random::fingerprint;
    use super::files;

    #[test]
    fn there_are_thirty_files() {
        assert_eq!(files().len(), 30);
        assert_eq!(files()["exports/contacts.csv"].lines().count(), 251);
    }

    #[test]
    fn the_files_never_change() {
        assert_eq!(fingerprint(&serde_json::to_vec(&files()).unwrap()), 6_766_125_759_274_653_516);
    }
}
