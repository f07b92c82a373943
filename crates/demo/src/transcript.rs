//! The transcript of a four-hour meeting with a customer, about 200 KB.
//!
//! Long on purpose: in the classic way it passes through the model twice, once
//! as a result and once as an argument.

use std::collections::VecDeque;

use super::calendar::clock;
use super::random::{Random, capitalised};
use super::transcript_lines::{REACTIONS, SLOTS, SPEAKERS, TOPICS};

/// Its path on the drive.
pub(crate) const PATH: &str = "meetings/2026-03-12-quarterly-review.txt";

/// The customer it is about; exactly one lead of the CRM has this company.
pub(crate) const CUSTOMER: &str = "Halvorsen Freight";

/// Lines per part of the agenda. Eight parts of 180 lines come to about 200 KB.
const LINES_PER_TOPIC: usize = 180;

/// The whole text.
pub(crate) fn transcript() -> String {
    let mut writer = Writer { random: Random::new(0x0312_2026), second: 0, text: head() };
    for topic in &TOPICS {
        writer.line(&format!("--- {} ---", topic.title));
        let mut deck = Deck::new(&topic.sentences);
        let mut speaker = 0;
        for line in 1..=LINES_PER_TOPIC {
            speaker = writer.next_speaker(speaker);
            let spoken = writer.spoken(&mut deck);
            writer.line(&format!("{}: {spoken}", SPEAKERS[speaker]));
            // The actions are spread evenly and never open or close a part.
            let step = LINES_PER_TOPIC / (topic.actions.len() + 1);
            if line % step == 0
                && let Some((owner, what, due)) = topic.actions.get(line / step - 1)
            {
                writer.line(&format!("ACTION: {owner}: {what} (due {due})"));
            }
        }
    }
    writer.text
}

/// How many action items the meeting has.
pub(crate) fn action_items() -> usize {
    TOPICS.iter().map(|topic| topic.actions.len()).sum()
}

fn head() -> String {
    format!(
        "Quarterly review with {CUSTOMER}\n\
         Date: 2026-03-12, 13:00 to 17:00 CET\n\
         Present: {}\n\
         Recorded with the consent of all participants; transcribed automatically.\n\n",
        SPEAKERS.join(", ")
    )
}

struct Writer {
    random: Random,
    second: usize,
    text: String,
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.text.push_str(&format!("[{}] {text}\n", clock(self.second)));
        // 4 to 15 seconds: about 1,460 lines of it make four hours.
        self.second += self.random.between(4, 15);
    }

    /// Anyone but the last speaker.
    fn next_speaker(&mut self, last: usize) -> usize {
        (last + self.random.between(1, SPEAKERS.len() - 1)) % SPEAKERS.len()
    }

    /// A reaction, one or two sentences on the matter, or both.
    fn spoken(&mut self, deck: &mut Deck) -> String {
        let mut parts = Vec::new();
        if self.random.chance(45) {
            parts.push(self.random.pick(&REACTIONS));
        }
        if parts.is_empty() || self.random.chance(80) {
            parts.push(deck.draw(&mut self.random));
        }
        if self.random.chance(45) {
            parts.push(deck.draw(&mut self.random));
        }
        let sentences: Vec<String> =
            parts.iter().map(|template| capitalised(self.random.fill(template, SLOTS))).collect();
        sentences.join(" ")
    }
}

/// Deals sentences; none is repeated before half of the others were used.
struct Deck(VecDeque<&'static str>);

impl Deck {
    fn new(sentences: &[&'static str]) -> Self {
        Self(sentences.iter().copied().collect())
    }

    fn draw(&mut self, random: &mut Random) -> &'static str {
        let drawn = self.0.remove(random.below(self.0.len() / 2)).unwrap_or_default();
        self.0.push_back(drawn);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::fingerprint;
    use super::{action_items, transcript};

    #[test]
    fn the_transcript_is_four_hours_and_about_50_000_tokens_long() {
        let text = transcript();
        let last = text.lines().last().unwrap();
        assert_eq!(last.get(..5), Some("[03:5"));
        assert!((196_000..220_000).contains(&text.len()), "{} bytes", text.len());
    }

    #[test]
    fn the_transcript_never_changes() {
        assert_eq!(fingerprint(transcript().as_bytes()), 8_516_301_837_610_249_103);
    }

    #[test]
    fn every_action_item_is_a_line_of_its_own() {
        let text = transcript();
        let found = text.lines().filter(|line| line.get(10..19) == Some(" ACTION: ")).count();
        assert_eq!((found, action_items()), (16, 16));
    }

    #[test]
    fn no_slot_is_left_open() {
        assert_eq!(transcript().find(['{', '}']), None);
    }
}
