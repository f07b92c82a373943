//! The 10,000 issues of the demo's tracker.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::calendar::{TODAY, instant};
use super::issue_words::{AREAS, COMMENTS, DETAILS, KINDS, Kind, PEOPLE, SLOTS};
use super::random::{Random, capitalised};

/// Number of issues.
pub(crate) const COUNT: usize = 10_000;

/// One issue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Issue {
    pub(crate) id: usize,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) state: State,
    pub(crate) labels: Vec<Cow<'static, str>>,
    pub(crate) assignee: Option<&'static str>,
    pub(crate) author: &'static str,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) closed_at: Option<String>,
    pub(crate) comment_count: usize,
    /// Comments that clients added; earlier ones are generated on request.
    #[serde(skip)]
    added_comments: Vec<String>,
}

impl Issue {
    /// All comments, oldest first. Sent by `get_issue` only; lists have the count.
    pub(crate) fn comments(&self) -> Vec<String> {
        let seed = u64::try_from(self.id).unwrap_or_default();
        let mut random = Random::new(seed);
        let first = self.comment_count - self.added_comments.len();
        let mut comments: Vec<String> = (0..first).map(|_| comment(&mut random)).collect();
        comments.extend_from_slice(&self.added_comments);
        comments
    }

    pub(crate) fn add_comment(&mut self, text: String) {
        self.added_comments.push(text);
        self.comment_count += 1;
    }
}

/// Whether the issue is still open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Open,
    Closed,
}

/// All issues, oldest first, in the order of their ids.
pub(crate) fn issues() -> Vec<Issue> {
    let mut random = Random::new(0x7ac4_e001);
    (1..=COUNT).map(|id| issue(id, &mut random)).collect()
}

fn issue(id: usize, random: &mut Random) -> Issue {
    // Ids rise with time, as trackers number them.
    let created = (id - 1) * TODAY / COUNT;
    let age = TODAY - created;
    let kind = random.pick(&KINDS);
    let state = if random.chance(closed_percent(age)) { State::Closed } else { State::Open };
    let created_second = second_of_day(id);
    let updated = created + random.below(age);
    let earliest = if updated == created { created_second } else { 0 };
    let updated_at = instant(updated, random.between(earliest, 86_399));
    let title = random.pick(kind.titles);
    Issue {
        id,
        title: capitalised(random.fill(title, SLOTS)),
        body: body(kind, random),
        state,
        labels: labels(kind, random),
        assignee: random.chance(92).then(|| random.pick_early(&PEOPLE)),
        author: random.pick(&PEOPLE),
        created_at: instant(created, created_second),
        closed_at: (state == State::Closed).then(|| updated_at.clone()),
        updated_at,
        comment_count: random.below(4),
        added_comments: Vec::new(),
    }
}

/// Old issues are mostly done, fresh ones mostly not. Found by trial: about a
/// quarter of all issues is open.
fn closed_percent(age_in_days: usize) -> usize {
    match age_in_days {
        0..30 => 35,
        30..90 => 60,
        90..365 => 75,
        _ => 88,
    }
}

/// Rises with the id within one day, so that time and ids agree.
fn second_of_day(id: usize) -> usize {
    let start = (id - 1) * TODAY % COUNT;
    start * 86_400 / COUNT
}

fn body(kind: &Kind, random: &mut Random) -> String {
    let first = random.pick(kind.bodies);
    let mut body = capitalised(random.fill(first, SLOTS));
    for _ in 0..random.below(3) {
        let template = random.pick(&DETAILS);
        body.push(' ');
        body.push_str(&random.fill(template, SLOTS));
    }
    body
}

fn labels(kind: &Kind, random: &mut Random) -> Vec<Cow<'static, str>> {
    let mut labels = vec![Cow::Borrowed(kind.label)];
    if random.chance(60) {
        labels.push(Cow::Borrowed(random.pick(&AREAS)));
    }
    if random.chance(50) {
        labels.push(Cow::Borrowed(random.pick(&["p1", "p2", "p2", "p3", "p3", "p3"])));
    }
    labels
}

fn comment(random: &mut Random) -> String {
    let template = random.pick(&COMMENTS);
    random.fill(template, SLOTS)
}

#[cfg(test)]
mod tests {
    use super::super::random::fingerprint;
    use super::{COUNT, State, issues};

    #[test]
    fn there_are_10_000_issues_in_the_order_of_ids_and_time() {
        let issues = issues();
        assert_eq!(issues.len(), COUNT);
        assert!(issues.iter().zip(1..).all(|(issue, id)| issue.id == id));
        assert!(issues.is_sorted_by(|a, b| a.created_at < b.created_at));
        assert!(issues.iter().all(|issue| issue.created_at <= issue.updated_at));
    }

    #[test]
    fn a_closed_issue_and_no_other_has_a_closing_time() {
        for issue in issues() {
            assert_eq!(issue.closed_at.is_some(), issue.state == State::Closed, "{}", issue.id);
        }
    }

    #[test]
    fn the_issues_never_change() {
        assert_eq!(
            fingerprint(&serde_json::to_vec(&issues()).unwrap()),
            11_781_075_697_138_274_130
        );
    }
}
