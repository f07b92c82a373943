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
use crate::private_files::create_private_dir;
use crate::records::Records;
use crate::schema::migrate;
use crate::shapes::Shapes;
use crate::vault::{Vault, VaultKey};

/// The databases of one state folder. Closed when it and everything it gave out is
/// dropped; that waits until what was handed over is on disk.
pub struct Store {
    record: Arc<Database>,
    state: Arc<Database>,
    clock: Clock,
    parked_runs: ParkedRuns,
}

impl Store {
    /// Opens the databases in a state folder and makes all three if they are missing. A
    /// database of an earlier version is taken over first.
    pub fn open(state_dir: &Path, clock: Clock) -> Result<Self, StoreError> {
        create_private_dir(state_dir)?;
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

    /// What happened.
    pub fn records(&self) -> Records {
        Records::new(Arc::clone(&self.record))
    }

    /// What people are asked and answer.
    pub fn approvals(&self) -> Approvals {
        Approvals::new(Arc::clone(&self.state), self.clock.clone())
    }

    /// Runs that wait for a person.
    pub fn parked_runs(&self) -> ParkedRuns {
        self.parked_runs.clone()
    }

    /// The values that tokens stand for.
    pub fn vault(&self, key: &VaultKey) -> Vault {
        Vault::new(Arc::clone(&self.state), self.clock.clone(), key)
    }

    /// What was learned about tools until now.
    pub fn shapes(&self) -> Shapes {
        Shapes::new(Arc::clone(&self.state), self.clock.clone())
    }

    /// Which definitions of tools were accepted.
    pub fn accepted_tools(&self) -> AcceptedTools {
        AcceptedTools::new(Arc::clone(&self.state), self.clock.clone())
    }
}

/// The connection that writes, to a file with its tables.
fn prepared(state_dir: &Path, kind: Kind) -> Result<rusqlite::Connection, StoreError> {
    let mut connection = connect(&kind.path(state_dir), kind)?;
    migrate(&mut connection, kind)?;
    Ok(connection)
}

#[cfg(test)]
mod tests;
