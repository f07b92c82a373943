//! Recommends what fits a search in addition to the configured tools.
//!
//! In: a search, and the skills that may be read. Out: known servers and skills, in a small
//! share of the answer's tokens; the tools get the rest.

use std::sync::Arc;

use tidegate_catalog::{Catalog, OfferKind, Package};
use tidegate_model::Scope;
use tidegate_policy::Permissions;
use tidegate_store::Skill;
use tidegate_upstream::UpstreamError;

use super::Tools;
use crate::tokens;
use crate::tools::recommended::{MAX_TOKENS, Recommended, RecommendedServer};
use crate::tools::search::{SearchAnswer, SearchRequest};

/// Recommendations cost at most one part in this many of an answer. Chosen.
const SHARE: usize = 8;

impl Tools {
    /// Searches a catalog, names the servers that are not in it, and recommends what else
    /// fits. Recommends skills only if `permissions`, or else the configured ones, allow
    /// reading them.
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

    /// Files and entries of known servers that were left out so far, with their places.
    pub fn catalog_problems(&self) -> Vec<String> {
        self.suggestions.read_so_far().map(|known| known.problems.clone()).unwrap_or_default()
    }

    /// The catalog with the categories that the folders give, if the request asks for one.
    async fn with_categories(
        &self,
        catalog: &Arc<Catalog>,
        request: &SearchRequest,
    ) -> Arc<Catalog> {
        if request.category.is_none() {
            return Arc::clone(catalog);
        }
        let known = self.suggestions.known(&self.settings).await;
        Arc::new(catalog.with_categories(|server| known.category(server)))
    }

    async fn recommend(
        &self,
        catalog: &Catalog,
        request: &SearchRequest,
        permissions: Option<&Permissions>,
    ) -> Recommended {
        // A request that names a server or sets `read_only` has made its choice.
        let chosen = request.server.is_some() || request.read_only.is_some();
        if !self.settings.search.recommend || chosen {
            return Recommended::default();
        }
        let skills = self.readable_skills(permissions).await;
        let known = self.suggestions.known(&self.settings).await;
        let mut fitting =
            self.suggestions.fitting(&self.settings, catalog, &skills, &request.query).await;
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
        recommended.within((request.budget() / SHARE).min(MAX_TOKENS))
    }

    async fn readable_skills(&self, permissions: Option<&Permissions>) -> Vec<Skill> {
        let may = |permissions: &Permissions| permissions.may_read(Scope::Skills).is_ok();
        let readable = match permissions {
            Some(permissions) => may(permissions),
            None => self.policy.permissions(None).is_ok_and(|permissions| may(&permissions)),
        };
        if !readable {
            return Vec::new();
        }
        self.skills.list().await.map(|list| list.skills).unwrap_or_default()
    }
}

/// The skills that have a trigger of several words which the query contains, word by word.
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

#[cfg(test)]
mod tests;
