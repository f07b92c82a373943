//! What a search tells beside the tools: known servers and skills that fit.
//!
//! In: a search. Out: a few lines in a small share of the answer's tokens; the tools get
//! the others. They are for the person: what a known server has cannot be called, and nothing is installed here.
//! Their texts are a stranger's, and have nothing invisible in them.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tidegate_catalog::{Catalog, OfferKind, Package, RecommendationReason};
use tidegate_model::{Scope, cleaned_line, shown_name};
use tidegate_policy::Permissions;
use tidegate_store::Skill;
use tidegate_upstream::UpstreamError;

use crate::gateway::Gateway;
use crate::tokens;
use crate::tools::search::{SearchAnswer, SearchRequest};
use crate::tools::wider::Fitting;

/// The part of an answer that it costs at most, and how many tokens. Chosen.
const SHARE: usize = 8;
const MOST_TOKENS: usize = 100;
/// Bytes of a line about a tool or a skill, and of a tool's name. Chosen: what it does,
/// not how.
const LINE_BYTES: usize = 90;
const NAME_BYTES: usize = 64;

/// What fits beside the configured tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recommended {
    /// Servers that are not configured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<RecommendedServer>,
    /// Skills that can be loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<RecommendedSkill>,
}

/// A known server that is not configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendedServer {
    /// Its name in its catalog.
    pub server: String,
    /// The tool that fits best. It cannot be called.
    pub tool: String,
    /// What that does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Why it is told of.
    pub reason: &'static str,
    /// What a person who wants it starts it with, if its catalog says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// A skill that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecommendedSkill {
    /// Its name, for `load_skill`.
    pub name: String,
    /// What it does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

const NAMED: &str = "named in the query";
const BETTER: &str = "fits better than what is configured";

impl Gateway {
    /// Searches a catalog, names the servers that are not in it, and tells what else fits.
    /// Of skills only if `permissions` let them be read; the configured ones, if none.
    pub async fn search_among(
        &self,
        catalog: &Arc<Catalog>,
        failed: &[(String, UpstreamError)],
        request: &SearchRequest,
        permissions: Option<&Permissions>,
    ) -> SearchAnswer {
        let catalog = self.with_categories(catalog, request).await;
        let recommended = self.recommend(&catalog, request, permissions).await;
        let left = request.budget().saturating_sub(tokens::count(&recommended.to_string()));
        let request = SearchRequest { max_tokens: Some(left), ..request.clone() };
        let answer = self.search_in(&catalog, failed, &request).await;
        SearchAnswer { recommended, ..answer }
    }

    /// Files of known servers that were left out so far, with their places.
    pub fn catalog_problems(&self) -> Vec<String> {
        self.wider.read_so_far().map(|known| known.problems.clone()).unwrap_or_default()
    }

    /// The catalog with the kinds of servers that the folders say, for who asks for one.
    async fn with_categories(
        &self,
        catalog: &Arc<Catalog>,
        request: &SearchRequest,
    ) -> Arc<Catalog> {
        if request.category.is_none() {
            return Arc::clone(catalog);
        }
        let known = self.wider.known(&self.settings).await;
        Arc::new(catalog.with_categories(|server| known.category(server)))
    }

    async fn recommend(
        &self,
        catalog: &Catalog,
        request: &SearchRequest,
        permissions: Option<&Permissions>,
    ) -> Recommended {
        // Who asks for one server, or for tools that change nothing, has chosen.
        let chosen = request.server.is_some() || request.read_only.is_some();
        if !self.settings.search.recommend || chosen {
            return Recommended::default();
        }
        let skills = self.readable_skills(permissions).await;
        let known = self.wider.known(&self.settings).await;
        let mut fitting =
            self.wider.fitting(&self.settings, catalog, &skills, &request.query).await;
        fitting
            .retain(|one| one.kind == OfferKind::Skill || request.takes(known.category(&one.name)));
        let mut recommended = Recommended::default();
        for skill in triggered(&skills, &request.query) {
            recommended.add_skill(skill.name.as_str(), &skill.description);
        }
        for one in fitting {
            match one.kind {
                OfferKind::Skill => recommended.add_skill(&one.name, &one.line),
                OfferKind::Server => {
                    let package = known.packages.get(&one.name);
                    let command = package.map(Package::command).unwrap_or_default();
                    recommended.servers.push(RecommendedServer::new(one, command));
                }
            }
        }
        recommended.within((request.budget() / SHARE).min(MOST_TOKENS))
    }

    async fn readable_skills(&self, permissions: Option<&Permissions>) -> Vec<Skill> {
        let may = |permissions: &Permissions| permissions.may_read(Scope::Skills).is_ok();
        let readable = match permissions {
            Some(permissions) => may(permissions),
            None => self.permissions(None).is_ok_and(|permissions| may(&permissions)),
        };
        if !readable {
            return Vec::new();
        }
        self.skill_list().await.map(|list| list.skills).unwrap_or_default()
    }
}

/// The skills one of whose triggers of several words the query has, word by word.
fn triggered<'a>(skills: &'a [Skill], query: &str) -> impl Iterator<Item = &'a Skill> {
    let query = words(query);
    let says = move |trigger: &String| {
        let trigger = words(trigger);
        trigger.len() > 1 && query.windows(trigger.len()).any(|part| part == trigger)
    };
    skills.iter().filter(move |skill| skill.triggers.iter().any(&says))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl RecommendedServer {
    fn new(fitting: Fitting, command: Vec<String>) -> Self {
        let reason = match fitting.reason {
            RecommendationReason::Named => NAMED,
            RecommendationReason::Better => BETTER,
        };
        Self {
            server: fitting.name,
            tool: cut(&shown_name(&fitting.tool), NAME_BYTES),
            text: cut(&cleaned_line(&fitting.line), LINE_BYTES),
            reason,
            command,
        }
    }
}

impl Recommended {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty() && self.skills.is_empty()
    }

    fn add_skill(&mut self, name: &str, text: &str) {
        /// As of those that are found by what they say.
        const MOST_SKILLS: usize = 2;
        let there = self.skills.iter().any(|skill| skill.name == name);
        if !there && self.skills.len() < MOST_SKILLS {
            let text = cut(&cleaned_line(text), LINE_BYTES);
            self.skills.push(RecommendedSkill { name: name.to_owned(), text });
        }
    }

    /// As much of it as so many tokens tell: first without texts, then fewer.
    fn within(mut self, most: usize) -> Self {
        let fits = |this: &Self| tokens::count(&this.to_string()) <= most;
        if !fits(&self) {
            self.servers.iter_mut().for_each(|server| server.text.clear());
            self.skills.iter_mut().for_each(|skill| skill.text.clear());
        }
        while !self.is_empty() && !fits(&self) {
            if self.skills.pop().is_none() {
                self.servers.pop();
            }
        }
        self
    }
}

/// As a model reads it.
impl fmt::Display for Recommended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.servers.first() {
            writeln!(f, "Not configured, {}; only the user can add it:", first.reason)?;
        }
        for server in &self.servers {
            write!(f, "{}: {}", server.server, server.tool)?;
            write_text(f, &server.text)?;
            match server.command.as_slice() {
                [] => writeln!(f)?,
                command => writeln!(f, " ({})", command.join(" "))?,
            }
        }
        if !self.skills.is_empty() {
            writeln!(f, "Skills, read with load_skill:")?;
        }
        for skill in &self.skills {
            write!(f, "{}", skill.name)?;
            write_text(f, &skill.text)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if text.is_empty() { Ok(()) } else { write!(f, "  {text}") }
}

/// Not longer than so many bytes.
fn cut(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

#[cfg(test)]
mod tests;
