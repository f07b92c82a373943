//! The index of known servers and skills beside the configured tools, built when it is
//! needed.
//!
//! In: the catalog of a search, and the skills that may be read. Out: the known servers
//! and skills that fit the query. The folders are read once; the index is rebuilt only if
//! tools or skills have changed. Without a folder and without a saved skill nothing is
//! indexed.

use std::sync::Arc;

use tidegate_catalog::{Catalog, Offer, OfferKind, Offers, RecommendationReason};
use tidegate_config::Settings;
use tidegate_store::{Origin, Skill};
use tokio::sync::{Mutex, OnceCell};

use crate::tools::known_servers::{KnownServers, catalog_paths, scoring};

/// Known servers and skills, and the index over them.
#[derive(Default)]
pub(crate) struct Suggestions {
    known: OnceCell<Arc<KnownServers>>,
    index: Mutex<Index>,
}

#[derive(Default)]
struct Index {
    offers: Option<Arc<Offers>>,
    skills: Vec<SkillOffer>,
}

/// A skill as it was when it was analysed.
struct SkillOffer {
    description: String,
    triggers: Vec<String>,
    offer: Arc<Offer>,
}

/// Something that fits a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fitting {
    pub(crate) kind: OfferKind,
    pub(crate) name: String,
    pub(crate) tool: String,
    pub(crate) line: String,
    pub(crate) reason: RecommendationReason,
}

impl Suggestions {
    /// The contents of the folders. Reads nothing if there are none.
    pub(crate) async fn known(&self, settings: &Settings) -> Arc<KnownServers> {
        let read = || async {
            if catalog_paths(settings).is_empty() {
                return Arc::default();
            }
            let settings = settings.clone();
            let read = tokio::task::spawn_blocking(move || KnownServers::read(&settings)).await;
            let known = read.unwrap_or_default();
            for problem in &known.problems {
                tracing::warn!(%problem, "a known server or tool was skipped");
            }
            Arc::new(known)
        };
        Arc::clone(self.known.get_or_init(read).await)
    }

    /// What was read so far.
    pub(crate) fn read_so_far(&self) -> Option<Arc<KnownServers>> {
        self.known.get().cloned()
    }

    /// The known servers and the skills that fit a query better than, or as well as, the
    /// tools of a catalog.
    pub(crate) async fn fitting(
        &self,
        settings: &Settings,
        catalog: &Catalog,
        skills: &[Skill],
        query: &str,
    ) -> Vec<Fitting> {
        let known = self.known(settings).await;
        let saved = skills.iter().any(|skill| skill.origin == Origin::Saved);
        if known.offers.is_empty() && !saved {
            return Vec::new();
        }
        let Some(offers) = self.offers(settings, &known, catalog, skills).await else {
            return Vec::new();
        };
        let fitting = offers.recommend(query);
        let owned = |one: &tidegate_catalog::Recommendation<'_>| Fitting {
            kind: one.offer.kind,
            name: one.offer.name.clone(),
            tool: one.tool.name.clone(),
            line: match one.offer.kind {
                OfferKind::Server => one.tool.text().to_owned(),
                OfferKind::Skill => one.tool.line.clone(),
            },
            reason: one.reason,
        };
        fitting.iter().map(owned).collect()
    }

    /// The index, rebuilt if it was built from something else.
    async fn offers(
        &self,
        settings: &Settings,
        known: &KnownServers,
        catalog: &Catalog,
        skills: &[Skill],
    ) -> Option<Arc<Offers>> {
        // Held while it is built: a second search waits instead of building it too.
        let mut index = self.index.lock().await;
        index.take_skills(settings, skills);
        let skills = index.skills.iter().map(|skill| Arc::clone(&skill.offer));
        let all: Vec<Arc<Offer>> = known.offers.iter().map(Arc::clone).chain(skills).collect();
        if let Some(offers) = &index.offers
            && offers.is_built_from(catalog, &all)
        {
            return Some(Arc::clone(offers));
        }
        let catalog = catalog.clone();
        let joined = tokio::task::spawn_blocking(move || Arc::new(Offers::new(&catalog, all)));
        index.offers = joined.await.ok();
        index.offers.clone()
    }
}

impl Index {
    /// Analyses the skills that are new or have changed, and forgets those that are gone.
    fn take_skills(&mut self, settings: &Settings, skills: &[Skill]) {
        let mut before = std::mem::take(&mut self.skills);
        for skill in skills {
            let name = skill.name.as_str();
            let same = |old: &SkillOffer| {
                old.offer.name == name
                    && old.description == skill.description
                    && old.triggers == skill.triggers
            };
            let kept = before.iter().position(same).map(|at| before.swap_remove(at));
            self.skills.push(kept.unwrap_or_else(|| SkillOffer {
                description: skill.description.clone(),
                triggers: skill.triggers.clone(),
                offer: Arc::new(Offer::skill(
                    name,
                    &skill.description,
                    &skill.triggers,
                    scoring(settings),
                )),
            }));
        }
    }
}
