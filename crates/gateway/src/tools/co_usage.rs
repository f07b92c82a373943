//! Ranks tools higher that were used together before.
//!
//! In: the tools of earlier runs that succeeded, from the store, and a ranking. Out: the
//! ranking, in which a tool has moved towards a better one that it was used with, and the
//! reason. No tool overtakes the one it was used with, so the first stays first: past
//! usage completes an answer, but does not decide it.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tidegate_catalog::Hit;
use tidegate_model::ToolRef;
use tidegate_store::Records;

/// How many of the best tools pull others up. Chosen.
const ANCHORS: usize = 3;
/// The fewest runs in which two tools were used together; one may be chance. Chosen.
const FEWEST_RUNS: u32 = 2;
/// The share of the distance that a tool moves towards a better one if it was in each of
/// its runs. Chosen.
const PULL: f32 = 0.7;
/// A run with more tools than this says nothing about any two of them. Chosen.
const MAX_TOOLS: usize = 30;

/// Why a tool ranks higher than its words alone would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedWith {
    /// The other tool, as one would call it.
    pub call: String,
    /// In how many of the newest runs.
    pub runs: u32,
}

impl fmt::Display for UsedWith {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "used with {} in {} runs", self.call, self.runs)
    }
}

/// Whether earlier runs change the order of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoUsageMode {
    On,
    Off,
}

/// Which tools were used in the same runs, read again after a run has ended.
pub(crate) struct CoUsage {
    records: Records,
    mode: CoUsageMode,
    stale: AtomicBool,
    learned: Mutex<Arc<Learned>>,
}

impl CoUsage {
    pub(crate) fn new(records: Records, mode: CoUsageMode) -> Self {
        Self { records, mode, stale: AtomicBool::new(true), learned: Mutex::default() }
    }

    /// A run has ended.
    pub(crate) fn invalidate(&self) {
        self.stale.store(true, Ordering::Release);
    }

    /// What is known now. A failed read changes nothing: a search is answered anyway.
    pub(crate) async fn learned(&self) -> Arc<Learned> {
        if self.mode == CoUsageMode::On && self.stale.swap(false, Ordering::AcqRel) {
            match self.records.tools_of_runs().await {
                Ok(runs) => *self.lock() = Arc::new(Learned::from_runs(&runs)),
                Err(error) => tracing::warn!(%error, "cannot read which tools were used"),
            }
        }
        Arc::clone(&self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Arc<Learned>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often tools were used, alone and in pairs.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    runs: HashMap<ToolRef, u32>,
    met: HashMap<ToolRef, HashMap<ToolRef, u32>>,
}

impl Learned {
    fn from_runs(runs: &[Vec<ToolRef>]) -> Self {
        let mut learned = Self::default();
        for tools in runs.iter().filter(|tools| tools.len() <= MAX_TOOLS) {
            for tool in tools {
                *learned.runs.entry(tool.clone()).or_default() += 1;
                let met = learned.met.entry(tool.clone()).or_default();
                for other in tools.iter().filter(|other| *other != tool) {
                    *met.entry(other.clone()).or_default() += 1;
                }
            }
        }
        learned
    }

    /// Moves tools up that were used with the best ones. Returns with which one, and how
    /// often.
    pub(crate) fn raise(&self, hits: &mut [Hit]) -> HashMap<ToolRef, (ToolRef, u32)> {
        let mut reasons = HashMap::new();
        let anchors: Vec<Hit> = hits.iter().take(ANCHORS).cloned().collect();
        for hit in hits.iter_mut() {
            let pulls = anchors.iter().filter(|anchor| anchor.score > hit.score);
            let pulls = pulls.filter_map(|anchor| {
                let (share, runs) = self.share(&anchor.id, &hit.id)?;
                Some((hit.score + PULL * share * (anchor.score - hit.score), anchor, runs))
            });
            if let Some((score, anchor, runs)) = pulls.max_by(|a, b| a.0.total_cmp(&b.0)) {
                reasons.insert(hit.id.clone(), (anchor.id.clone(), runs));
                hit.score = score;
            }
        }
        if !reasons.is_empty() {
            // Stable: hits with the same score stay in order.
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        reasons
    }

    /// The share of a tool's runs in which another one was used, and their number.
    fn share(&self, tool: &ToolRef, other: &ToolRef) -> Option<(f32, u32)> {
        let runs = *self.met.get(tool)?.get(other)?;
        let all = *self.runs.get(tool)?;
        (runs >= FEWEST_RUNS).then(|| (runs as f32 / all as f32, runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> ToolRef {
        ToolRef::new("git", name)
    }

    fn learned(runs: &[&[&str]]) -> Learned {
        let runs: Vec<Vec<ToolRef>> =
            runs.iter().map(|tools| tools.iter().map(|name| tool(name)).collect()).collect();
        Learned::from_runs(&runs)
    }

    fn ranking(scores: &[(&str, f32)]) -> Vec<Hit> {
        scores.iter().map(|(name, score)| Hit { id: tool(name), score: *score }).collect()
    }

    fn names(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.id.tool.as_str()).collect()
    }

    #[test]
    fn a_tool_moves_up_behind_the_one_that_it_was_used_with() {
        let learned = learned(&[&["commit", "add"], &["commit", "add"], &["commit", "push"]]);
        let mut hits =
            ranking(&[("commit", 9.0), ("log", 5.0), ("show", 4.0), ("diff", 3.0), ("add", 1.0)]);
        let reasons = learned.raise(&mut hits);
        assert_eq!(names(&hits), ["commit", "log", "add", "show", "diff"]);
        assert_eq!(reasons.len(), 1);
        assert_eq!(reasons[&tool("add")], (tool("commit"), 2));
    }

    #[test]
    fn nothing_gets_past_the_tool_that_it_was_used_with() {
        let often: Vec<&[&str]> = vec![&["commit", "add"]; 100];
        let mut hits = ranking(&[("commit", 9.0), ("add", 8.99)]);
        learned(&often).raise(&mut hits);
        assert_eq!(names(&hits), ["commit", "add"]);
    }

    #[test]
    fn once_is_chance_and_a_run_with_everything_says_nothing() {
        let everything: Vec<String> = (0..=MAX_TOOLS).map(|n| format!("tool{n}")).collect();
        let everything: Vec<&str> = everything.iter().map(String::as_str).collect();
        let learned = learned(&[&["commit", "add"], &everything, &everything]);
        let mut hits = ranking(&[("commit", 9.0), ("tool1", 5.0), ("tool2", 2.0), ("add", 1.0)]);
        assert!(learned.raise(&mut hits).is_empty());
        assert_eq!(names(&hits), ["commit", "tool1", "tool2", "add"]);
    }
}
