use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::{DataType, Secret};

use super::{KeptValue, Loaded, Vault, VaultEntry, VaultKey, VaultReport};
use crate::{Store, StoreError};

const NOW: SystemTime = SystemTime::UNIX_EPOCH;

fn hours(hours: u64) -> SystemTime {
    NOW + Duration::from_hours(hours)
}

fn entry(data_type: DataType, number: u32, value: &str) -> VaultEntry {
    VaultEntry {
        data_type,
        number,
        value: Secret::new(value.to_owned()),
        canonical: Secret::new(value.to_lowercase()),
    }
}

fn kept(data_type: DataType, number: u32, value: &str) -> KeptValue {
    KeptValue { data_type, number, value: Secret::new(value.to_owned()) }
}

fn open(state: &Path) -> Vault {
    Store::open(state).unwrap().vault(&VaultKey::from_state(state).unwrap()).unwrap()
}

#[test]
fn a_session_gets_its_values_back_and_no_others() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    let first = [entry(DataType::Email, 1, "Jane@x.org"), entry(DataType::Email, 2, "otto@x.org")];
    vault.keep("s1", &first, NOW, hours(1)).unwrap();
    vault.keep("s2", &[entry(DataType::Email, 1, "eve@x.org")], NOW, hours(1)).unwrap();
    // Kept again, it is there once and lives longer.
    vault.keep("s1", &first[..1], NOW, hours(2)).unwrap();
    drop(vault);
    let vault = open(state.path());
    let (jane, otto) =
        (kept(DataType::Email, 1, "Jane@x.org"), kept(DataType::Email, 2, "otto@x.org"));
    let loaded = |values| Loaded { values, last: vec![(DataType::Email, 2)], damaged: vec![] };
    assert_eq!(vault.load("s1", NOW).unwrap(), loaded(vec![jane.clone(), otto]));
    assert_eq!(vault.load("s1", hours(1)).unwrap(), loaded(vec![jane]));
    assert_eq!(vault.load("s3", NOW).unwrap(), Loaded::default());
}

#[test]
fn a_token_is_never_given_a_second_value() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    vault.keep("s1", &[entry(DataType::Person, 1, "Jane")], NOW, hours(1)).unwrap();
    let both = [entry(DataType::Person, 2, "Otto"), entry(DataType::Person, 1, "Eve")];
    let error = vault.keep("s1", &both, NOW, hours(1)).unwrap_err();
    assert_eq!(error.to_string(), "`[NAME_1]` stands for another value already");
    // All or none.
    assert_eq!(vault.load("s1", NOW).unwrap().values, [kept(DataType::Person, 1, "Jane")]);
}

#[test]
fn restores_are_counted_and_reported_without_values() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    let entries = [entry(DataType::Person, 1, "Jane"), entry(DataType::Email, 1, "jane@x.org")];
    vault.keep("s1", &entries, NOW, hours(1)).unwrap();
    vault.keep("s2", &entries[..1], NOW, hours(1)).unwrap();
    let restores = [(DataType::Person, 1, 2), (DataType::Email, 1, 1), (DataType::Ssn, 9, 1)];
    vault.count_restores("s1", &restores).unwrap();
    vault.count_restores("s1", &restores[..1]).unwrap();
    let report =
        VaultReport { sessions: 2, types: vec![(DataType::Email, 1, 1), (DataType::Person, 2, 4)] };
    assert_eq!(vault.report().unwrap(), report);
    assert_eq!(format!("{:?}", entries[0].value), "Secret(..)");
}

#[test]
fn a_changed_or_moved_row_is_named_and_the_others_load() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    let entries: Vec<VaultEntry> =
        (1..=4).map(|n| entry(DataType::Email, n, &format!("{n}@x.org"))).collect();
    vault.keep("s1", &entries, NOW, hours(1)).unwrap();
    let database = Connection::open(state.path().join("tidegate.db")).unwrap();
    // Two values change places, and one byte of another is changed.
    database
        .execute_batch(
            "UPDATE vault SET number = 99 WHERE number = 1;
             UPDATE vault SET number = 1 WHERE number = 2;
             UPDATE vault SET number = 2 WHERE number = 99;
             UPDATE vault SET sealed = CAST(sealed || x'00' AS BLOB) WHERE number = 3;",
        )
        .unwrap();
    let loaded = vault.load("s1", NOW).unwrap();
    assert_eq!(loaded.values, [kept(DataType::Email, 4, "4@x.org")]);
    assert_eq!(loaded.damaged, ["[EMAIL_1]", "[EMAIL_2]", "[EMAIL_3]"]);
}

#[test]
fn with_another_key_nothing_opens_and_everything_is_named() {
    let state = tempfile::tempdir().unwrap();
    open(state.path()).keep("s1", &[entry(DataType::Person, 1, "Jane")], NOW, hours(1)).unwrap();
    let other = VaultKey::from_bytes([1; 32]);
    let loaded = Store::open(state.path()).unwrap().vault(&other).unwrap().load("s1", NOW).unwrap();
    let expected = Loaded {
        values: vec![],
        last: vec![(DataType::Person, 1)],
        damaged: vec!["[NAME_1]".to_owned()],
    };
    assert_eq!(loaded, expected);
}

#[test]
fn a_value_is_erased_from_all_sessions_and_its_number_stays_taken() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    for session in ["s1", "s2"] {
        let entries =
            [entry(DataType::Email, 1, "otto@x.org"), entry(DataType::Email, 2, "Jane@x.org")];
        vault.keep(session, &entries, NOW, hours(1)).unwrap();
    }
    let forms =
        [(DataType::Email, "jane@x.org".to_owned()), (DataType::Person, "jane@x.org".to_owned())];
    assert_eq!(vault.erase_value(&forms).unwrap(), 2);
    assert_eq!(vault.erase_value(&forms).unwrap(), 0);
    let expected = Loaded {
        values: vec![kept(DataType::Email, 1, "otto@x.org")],
        last: vec![(DataType::Email, 2)],
        damaged: vec![],
    };
    assert_eq!(vault.load("s1", NOW).unwrap(), expected);
    assert_eq!(vault.erase_session("s1").unwrap(), 1);
    assert_eq!(vault.load("s1", NOW).unwrap(), Loaded { values: vec![], ..expected.clone() });
    assert_eq!(vault.load("s2", NOW).unwrap(), expected);
}

#[test]
fn what_has_expired_is_erased_and_much_later_the_numbers_too() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    vault.keep("s1", &[entry(DataType::Email, 3, "jane@x.org")], NOW, hours(1)).unwrap();
    vault.keep("s1", &[entry(DataType::Email, 4, "otto@x.org")], NOW, hours(2)).unwrap();
    assert_eq!(vault.expire(NOW).unwrap(), 0);
    assert_eq!(vault.expire(hours(1)).unwrap(), 1);
    assert_eq!(vault.expire(hours(2)).unwrap(), 1);
    assert_eq!(vault.load("s1", NOW).unwrap().last, [(DataType::Email, 4)]);
    assert_eq!(vault.expire(hours(2 + 90 * 24)).unwrap(), 0);
    assert_eq!(vault.load("s1", NOW).unwrap(), Loaded::default());
}

/// All bytes of the database's files.
fn files(state: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(state).unwrap() {
        let path = file.unwrap().path();
        if path.file_name().unwrap() != "vault.key" {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    bytes
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == part[0]);
    starts.into_iter().any(|(at, _)| bytes[at..].starts_with(part))
}

#[test]
fn no_value_is_in_the_files_and_what_is_erased_leaves_them() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    let values: Vec<String> = (1..60).map(|n| format!("person{n:04}@example.org")).collect();
    let entries: Vec<VaultEntry> =
        values.iter().zip(1..).map(|(value, n)| entry(DataType::Email, n, value)).collect();
    vault.keep("s1", &entries[..30], NOW, hours(1)).unwrap();
    vault.keep("s2", &entries[30..], NOW, hours(1)).unwrap();
    let before = files(state.path());
    assert!(values.iter().all(|value| !has(&before, value.as_bytes())));
    let database = Connection::open(state.path().join("tidegate.db")).unwrap();
    let sealed = |session: &str| -> Vec<Vec<u8>> {
        let mut query = database.prepare("SELECT sealed FROM vault WHERE session = ?").unwrap();
        query.query_map([session], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let (erased, stays) = (sealed("s1"), sealed("s2"));
    assert!(erased.iter().chain(&stays).all(|sealed| has(&before, sealed)));
    vault.erase_session("s1").unwrap();
    let after = files(state.path());
    assert!(erased.iter().all(|sealed| !has(&after, sealed)));
    assert!(stays.iter().all(|sealed| has(&after, sealed)));
    vault.erase_value(&[(DataType::Email, values[50].clone())]).unwrap();
    assert!(!has(&files(state.path()), &stays[20]));
    assert!(has(&files(state.path()), &stays[21]));
}

#[test]
fn many_values_are_kept_in_one_go() {
    let state = tempfile::tempdir().unwrap();
    let mut vault = open(state.path());
    let entries: Vec<VaultEntry> =
        (1..=2_000).map(|n| entry(DataType::Email, n, &format!("{n}@example.org"))).collect();
    vault.keep("s1", &entries, NOW, hours(1)).unwrap();
    assert_eq!(vault.load("s1", NOW).unwrap().values.len(), 2_000);
}

/// The version with approvals had no vault.
#[test]
fn a_database_without_a_vault_gets_one_and_keeps_its_rows() {
    let state = tempfile::tempdir().unwrap();
    drop(Store::open(state.path()).unwrap());
    let database = Connection::open(state.path().join("tidegate.db")).unwrap();
    database
        .execute_batch(
            "DROP TABLE vault; DROP TABLE vault_numbers;
             DROP TABLE pii_seen; DROP TABLE pii_restores; DROP TABLE alerts;
             ALTER TABLE parked_runs DROP COLUMN sealed;
             ALTER TABLE parked_runs DROP COLUMN owner;
             ALTER TABLE parked_runs DROP COLUMN lives_until_ms; PRAGMA user_version = 7;
             INSERT INTO parked_runs (run_id, expires_at_ms, state) VALUES ('r', 1, 'kept')",
        )
        .unwrap();
    assert_eq!(open(state.path()).report().unwrap(), VaultReport::default());
    let kept: String =
        database.query_row("SELECT state FROM parked_runs", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, "kept");
}

#[test]
fn a_vault_of_no_state_is_an_error_with_its_cause() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(VaultKey::from_state(&file), Err(StoreError::File { .. })));
}
