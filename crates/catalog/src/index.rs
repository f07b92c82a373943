//! Search: BM25 with weighted fields.
//!
//! Every tool is one document. A word of the name counts more than one of the
//! description; identifiers are split, plurals folded. Deterministic: equal
//! scores are ordered by identity.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tidegate_model::{ToolDef, ToolRef};

use crate::names::words;

/// How much a word counts by where it stands. Chosen by judgement,
/// not tuned.
const NAME_WEIGHT: f32 = 3.0;
const SERVER_WEIGHT: f32 = 1.5;
const DESCRIPTION_WEIGHT: f32 = 1.0;
const PARAMETER_WEIGHT: f32 = 0.4;

/// The usual constants of BM25.
const SATURATION: f32 = 1.2;
const LENGTH_NORMALISATION: f32 = 0.6;

/// Words that say nothing about a tool.
const STOP_WORDS: [&str; 30] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "i", "in", "is", "it",
    "me", "my", "of", "on", "or", "please", "that", "the", "this", "to", "use", "want", "we",
    "with", "you",
];

/// A search result.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Which tool.
    pub id: ToolRef,
    /// How well it fits; only comparable within one answer.
    pub score: f32,
}

#[derive(Debug)]
pub(crate) struct Index {
    ids: Vec<ToolRef>,
    lengths: Vec<f32>,
    average_length: f32,
    /// For every word, the tools that have it and how much.
    postings: HashMap<String, Vec<(u32, f32)>>,
}

impl Index {
    pub(crate) fn build<'a>(tools: impl Iterator<Item = (ToolRef, &'a Arc<ToolDef>)>) -> Self {
        let mut ids = Vec::new();
        let mut lengths = Vec::new();
        let mut postings: HashMap<String, Vec<(u32, f32)>> = HashMap::new();
        for (id, tool) in tools {
            let number = u32::try_from(ids.len()).unwrap_or(u32::MAX);
            let weights = document(&id, tool);
            lengths.push(weights.values().sum());
            for (word, weight) in weights {
                postings.entry(word).or_default().push((number, weight));
            }
            ids.push(id);
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of tools is far below 2^24")]
        let average_length = lengths.iter().sum::<f32>() / (lengths.len().max(1) as f32);
        Self { ids, lengths, average_length, postings }
    }

    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let mut scores: HashMap<u32, f32> = HashMap::new();
        for word in tokens(query) {
            let Some(documents) = self.postings.get(&word) else { continue };
            let rarity = self.rarity(documents.len());
            for (number, weight) in documents {
                let length = self.lengths[*number as usize] / self.average_length;
                let norm = 1.0 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * length;
                let score = rarity * weight * (SATURATION + 1.0) / (weight + SATURATION * norm);
                *scores.entry(*number).or_default() += score;
            }
        }
        self.add_exact_names(query, &mut scores);
        let mut hits: Vec<Hit> = scores
            .into_iter()
            .map(|(number, score)| Hit { id: self.ids[number as usize].clone(), score })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(limit);
        hits
    }

    /// A query that is the name of a tool gets that tool first.
    fn add_exact_names(&self, query: &str, scores: &mut HashMap<u32, f32>) {
        let wanted = crate::names::fold(query);
        for (number, id) in self.ids.iter().enumerate() {
            let tool = crate::names::fold(&id.tool);
            if tool == wanted || wanted == format!("{}{tool}", crate::names::fold(&id.server)) {
                *scores.entry(u32::try_from(number).unwrap_or(u32::MAX)).or_default() += 100.0;
            }
        }
    }

    fn rarity(&self, documents: usize) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a count of tools is far below 2^24")]
        let (all, with) = (self.ids.len() as f32, documents as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn document(id: &ToolRef, tool: &ToolDef) -> HashMap<String, f32> {
    let mut weights = HashMap::new();
    let mut add = |text: &str, weight: f32| {
        for word in tokens(text) {
            *weights.entry(word).or_default() += weight;
        }
    };
    add(&id.tool, NAME_WEIGHT);
    add(&id.server, SERVER_WEIGHT);
    add(tool.title.as_deref().unwrap_or_default(), DESCRIPTION_WEIGHT);
    add(tool.description.as_deref().unwrap_or_default(), DESCRIPTION_WEIGHT);
    if let Some(Value::Object(properties)) = tool.input_schema.get("properties") {
        for name in properties.keys() {
            add(name, PARAMETER_WEIGHT);
        }
    }
    weights
}

/// Lower-case words without stop words and plural endings.
fn tokens(text: &str) -> impl Iterator<Item = String> {
    words(text)
        .into_iter()
        .map(|word| word.to_lowercase())
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
        .map(singular)
}

fn singular(word: String) -> String {
    // Only clear plurals: `status`, `address` and `analysis` stay as they are.
    if word.len() > 4 && word.ends_with("ies") {
        return format!("{}y", &word[..word.len() - 3]);
    }
    let keeps_s = word.len() < 4 || ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if word.ends_with('s') && !keeps_s { word[..word.len() - 1].to_owned() } else { word }
}
