//! Opens a state folder: its two databases, and one type for each concern.

use std::path::Path;
use std::sync::Arc;

use tidegate_model::Clock;

use crate::StoreError;
use crate::accepted_tools::AcceptedTools;
use crate::approvals::Approvals;
use crate::database::{Database, Kind, connect};
use crate::migration;
use crate::parked_runs::ParkedRuns;
use crate::private_folder::make_state_private;
use crate::records::Records;
use crate::rules_seen::SeenRules;
use crate::schema::migrate;
use crate::shapes::Shapes;
use crate::vault::{Vault, VaultKey};

/// The databases of one state folder. They are closed when this and everything obtained
/// from it are dropped, which waits until all queued changes are written.
pub struct Store {
    record: Arc<Database>,
    state: Arc<Database>,
    clock: Clock,
    parked_runs: ParkedRuns,
}

impl Store {
    /// Opens the databases in a state folder; creates the folder and both files if they
    /// are missing, and takes the rights of other users away. Imports a database of an earlier version first.
    pub fn open(state_dir: &Path, clock: Clock) -> Result<Self, StoreError> {
        let opened_to_others = make_state_private(state_dir)?;
        if opened_to_others > 0 {
            tracing::warn!(
                entries = opened_to_others,
                "other users had rights to the state folder, which were taken away; if they may \
                 have read `vault.key`, remove it"
            );
        }
        let legacy = migration::prepare(state_dir)?;
        let record = prepared(state_dir, Kind::Record)?;
        let state = prepared(state_dir, Kind::State)?;
        if let Some(legacy) = legacy {
            migration::take_over(state_dir, legacy, &clock)?;
        }
        let record = Database::start(state_dir, Kind::Record, record)?;
        let state = Database::start(state_dir, Kind::State, state)?;
        let parked_runs = ParkedRuns::new(Arc::clone(&state), clock.clone());
        Ok(Self { record, state, clock, parked_runs })
    }

    /// The clock that the folder was opened with.
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// The record of what happened.
    pub fn records(&self) -> Records {
        Records::new(Arc::clone(&self.record))
    }

    /// Requests for approval, and their answers.
    pub fn approvals(&self) -> Approvals {
        Approvals::new(Arc::clone(&self.state), Arc::clone(&self.record), self.clock.clone())
    }

    /// Parked runs, which wait for a person.
    pub fn parked_runs(&self) -> ParkedRuns {
        self.parked_runs.clone()
    }

    /// The values of tokens.
    pub fn vault(&self, key: &VaultKey) -> Vault {
        Vault::new(Arc::clone(&self.state), self.clock.clone(), key)
    }

    /// What was learned about tools so far.
    pub fn shapes(&self) -> Shapes {
        Shapes::new(Arc::clone(&self.state), self.clock.clone())
    }

    /// The files that decide what is allowed, as they were seen.
    pub fn seen_rules(&self) -> SeenRules {
        SeenRules::new(Arc::clone(&self.state), self.clock.clone())
    }

    /// The accepted definitions of tools.
    pub fn accepted_tools(&self) -> AcceptedTools {
        AcceptedTools::new(Arc::clone(&self.state), self.clock.clone())
    }
}

/// Opens the writing connection to a file and creates its tables.
fn prepared(state_dir: &Path, kind: Kind) -> Result<rusqlite::Connection, StoreError> {
    let mut connection = connect(&kind.path(state_dir), kind)?;
    migrate(&mut connection, kind)?;
    Ok(connection)
}

#[cfg(test)]
mod tests;
