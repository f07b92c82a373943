//! The words of the demo's issues; `issues.rs` builds the issues.
//!
//! Words in braces are slots that `Random::fill` fills from `SLOTS`.

/// A kind of issue, and how people describe it.
pub(crate) struct Kind {
    pub(crate) label: &'static str,
    pub(crate) titles: &'static [&'static str; 6],
    pub(crate) bodies: &'static [&'static str; 4],
}

/// A kind occurs as often as it is listed: nine of twenty are bugs.
pub(crate) const KINDS: [&Kind; 20] = [
    &BUG, &BUG, &BUG, &BUG, &BUG, &BUG, &BUG, &BUG, &BUG, &FEATURE, &FEATURE, &FEATURE, &FEATURE,
    &FEATURE, &CHORE, &CHORE, &CHORE, &DOCS, &DOCS, &QUESTION,
];

const BUG: Kind = Kind {
    label: "bug",
    titles: &[
        "{part}: {symptom} when {condition}",
        "{symptom} in {part} after {event}",
        "{part} shows {symptom} if {condition}",
        "Regression: {symptom} in {part}",
        "{part} crashes when {condition}",
        "Wrong total in {part} after {event}",
    ],
    bodies: &[
        "Since {event} we see {symptom} in {part}, about {n} times a day.",
        "Steps: open {part}, wait until {condition}, and look at the last row.",
        "Expected no change, got {symptom} for {n} of our users.",
        "{n} customers reported {symptom}; it stops after a restart of {service}.",
    ],
};

const FEATURE: Kind = Kind {
    label: "feature",
    titles: &[
        "Add {thing} to {part}",
        "Support {thing} in {part}",
        "Let admins turn off {thing} per team",
        "Remember {thing} between sessions",
        "Offer {thing} when {condition}",
        "Make {thing} available through {service}",
    ],
    bodies: &[
        "{n} customers asked for {thing}, most of them after {event}.",
        "Today people copy the data out of {part} by hand.",
        "A first version without {thing} for mobile would be enough.",
        "It should work when {condition} as well.",
    ],
};

const CHORE: Kind = Kind {
    label: "chore",
    titles: &[
        "Upgrade {service} to the next minor version",
        "Remove the old code path of {part}",
        "Move the tests of {part} to the new runner",
        "Rotate the keys of {service}",
        "Split the tables of {service} by month",
        "Raise the alert limit of {service} to {n} seconds",
    ],
    bodies: &[
        "Nobody has used it since {event}.",
        "The current state costs us about {n} minutes per build.",
        "Do it in steps: {service} first, {part} afterwards.",
        "Needs a window of {n} minutes at night.",
    ],
};

const DOCS: Kind = Kind {
    label: "docs",
    titles: &[
        "Document {thing} for {part}",
        "The guide for {service} is out of date",
        "Explain what happens when {condition}",
        "Add an example for {thing}",
        "Broken links in the chapter on {part}",
        "Describe the limits of {service}",
    ],
    bodies: &[
        "Support answered this question {n} times last month.",
        "The page still shows the screen from before {event}.",
        "A table with all options of {thing} would help.",
        "New people stumble over it when {condition}.",
    ],
};

const QUESTION: Kind = Kind {
    label: "question",
    titles: &[
        "How do I use {thing} in {part}?",
        "Is {symptom} expected when {condition}?",
        "Which limits apply to {service}?",
        "Can {thing} be turned off?",
        "Why does {part} ask twice after {event}?",
        "What happens to {thing} when {condition}?",
    ],
    bodies: &[
        "We have {n} users and could not find it in the guide.",
        "It worked before {event}.",
        "The message only says that {service} is busy.",
        "Happy to write it down once we know.",
    ],
};

pub(crate) const DETAILS: [&str; 10] = [
    "The log of {service} has {n} warnings around that time.",
    "Seen in version 4.{n} and in the one before.",
    "A workaround is to reload {part} twice.",
    "It does not happen when {condition}.",
    "Related to the change in {service} after {event}.",
    "One customer with {n} seats is blocked by it.",
    "We measured {n} seconds where it used to be one.",
    "Screenshots are in the support ticket.",
    "Only the browser version is affected, the app is fine.",
    "Please keep {thing} as it is.",
];

pub(crate) const COMMENTS: [&str; 8] = [
    "I can reproduce it on staging when {condition}.",
    "Looks like {service} to me, passing it on.",
    "Same here, {n} times this week.",
    "Waiting for an answer from the customer.",
    "The fix for {part} may cover this one too.",
    "Moved to the next sprint.",
    "Added a test that fails, see the branch.",
    "Can we get the log of {service}?",
];

pub(crate) const AREAS: [&str; 8] =
    ["ui", "api", "performance", "mobile", "billing", "security", "import", "search"];

pub(crate) const PEOPLE: [&str; 24] = [
    "amelia", "bjorn", "chidi", "dalia", "esteban", "farah", "gustav", "hyejin", "ivan", "jelena",
    "kofi", "lena", "mateo", "nadia", "oscar", "pilar", "quentin", "ravi", "sofia", "tomas", "uma",
    "viktor", "wanda", "yusuf",
];

pub(crate) const SLOTS: &[(&str, &[&str])] = &[
    (
        "part",
        &[
            "the dashboard",
            "the export dialog",
            "the invoice list",
            "the calendar view",
            "the login page",
            "the report builder",
            "the team settings",
            "the search results",
            "the CSV import",
            "the audit view",
            "the mobile inbox",
            "the sharing menu",
        ],
    ),
    (
        "symptom",
        &[
            "a blank page",
            "duplicate rows",
            "a spinner that never ends",
            "the wrong time zone",
            "a lost draft",
            "an error 500",
            "stale numbers",
            "broken sorting",
            "missing attachments",
            "a frozen scroll bar",
        ],
    ),
    (
        "condition",
        &[
            "two tabs are open",
            "the session has expired",
            "the list has more than 1,000 rows",
            "the user has no team",
            "the network is slow",
            "a filter is active",
            "the name has an accent",
            "daylight saving time starts",
            "the file is empty",
            "the plan was changed",
        ],
    ),
    (
        "event",
        &[
            "the last release",
            "the database upgrade",
            "switching languages",
            "an import",
            "a password reset",
            "the move to the new region",
            "the billing run",
            "an undo",
        ],
    ),
    (
        "service",
        &[
            "the mail gateway",
            "the job queue",
            "the search index",
            "the webhook sender",
            "the image proxy",
            "the billing service",
            "the session store",
            "the public API",
        ],
    ),
    (
        "thing",
        &[
            "dark mode",
            "saved filters",
            "keyboard shortcuts",
            "bulk edit",
            "a weekly digest",
            "custom fields",
            "two-factor login",
            "column presets",
            "comments on rows",
            "scheduled exports",
        ],
    ),
];
