use std::path::Path;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use tidegate_model::{Clock, DataType, Secret};

use super::{Loaded, StoredValue, Vault, VaultEntry, VaultKey, VaultReport};
use crate::{Store, StoreError};

fn hours(hours: u64) -> Duration {
    Duration::from_hours(hours)
}

fn entry(data_type: DataType, number: u32, value: &str) -> VaultEntry {
    VaultEntry {
        data_type,
        number,
        value: Secret::new(value.to_owned()),
        canonical: Secret::new(value.to_lowercase()),
    }
}

fn stored(data_type: DataType, number: u32, value: &str) -> StoredValue {
    StoredValue { data_type, number, value: Secret::new(value.to_owned()) }
}

/// A vault at the Unix epoch.
fn open(state: &Path) -> Vault {
    open_at(state, &Clock::manual(SystemTime::UNIX_EPOCH))
}

fn open_at(state: &Path, clock: &Clock) -> Vault {
    let key = VaultKey::from_state(state).unwrap();
    Store::open(state, clock.clone()).unwrap().vault(&key)
}

#[tokio::test]
async fn a_session_gets_its_values_back_and_no_others() {
    let state = tempfile::tempdir().unwrap();
    let clock = Clock::manual(SystemTime::UNIX_EPOCH);
    let vault = open_at(state.path(), &clock);
    let first = [entry(DataType::Email, 1, "Jane@x.org"), entry(DataType::Email, 2, "otto@x.org")];
    vault.store("s1", first.to_vec(), hours(1)).await.unwrap();
    vault.store("s2", vec![entry(DataType::Email, 1, "eve@x.org")], hours(1)).await.unwrap();
    // Stored again, it exists once and lives longer.
    vault.store("s1", first[..1].to_vec(), hours(2)).await.unwrap();
    drop(vault);
    let vault = open_at(state.path(), &clock);
    let (jane, otto) =
        (stored(DataType::Email, 1, "Jane@x.org"), stored(DataType::Email, 2, "otto@x.org"));
    let loaded = |values| Loaded { values, last: vec![(DataType::Email, 2)], damaged: vec![] };
    assert_eq!(vault.load("s1").await.unwrap(), loaded(vec![jane.clone(), otto]));
    assert_eq!(vault.load("s3").await.unwrap(), Loaded::default());
    clock.advance(hours(1));
    assert_eq!(vault.load("s1").await.unwrap(), loaded(vec![jane]));
}

#[tokio::test]
async fn a_token_is_never_given_a_second_value() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    vault.store("s1", vec![entry(DataType::Person, 1, "Jane")], hours(1)).await.unwrap();
    let both = [entry(DataType::Person, 2, "Otto"), entry(DataType::Person, 1, "Eve")];
    let error = vault.store("s1", both.to_vec(), hours(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "`[NAME_1]` stands for another value already");
    // All or none.
    assert_eq!(vault.load("s1").await.unwrap().values, [stored(DataType::Person, 1, "Jane")]);
}

#[tokio::test]
async fn restores_are_counted_and_reported_without_values() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    let entries = [entry(DataType::Person, 1, "Jane"), entry(DataType::Email, 1, "jane@x.org")];
    vault.store("s1", entries.to_vec(), hours(1)).await.unwrap();
    vault.store("s2", entries[..1].to_vec(), hours(1)).await.unwrap();
    let restores = [(DataType::Person, 1, 2), (DataType::Email, 1, 1), (DataType::Ssn, 9, 1)];
    vault.count_restores("s1", restores.to_vec());
    vault.count_restores("s1", restores[..1].to_vec());
    vault.flush().await.unwrap();
    let report =
        VaultReport { sessions: 2, types: vec![(DataType::Email, 1, 1), (DataType::Person, 2, 4)] };
    assert_eq!(vault.report().await.unwrap(), report);
    assert_eq!(format!("{:?}", entries[0].value), "Secret(..)");
}

#[tokio::test]
async fn a_changed_or_moved_row_is_named_and_the_others_load() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    let entries: Vec<VaultEntry> =
        (1..=4).map(|n| entry(DataType::Email, n, &format!("{n}@x.org"))).collect();
    vault.store("s1", entries.to_vec(), hours(1)).await.unwrap();
    let database = Connection::open(state.path().join("state.db")).unwrap();
    // Two values change places, and one byte of another is changed.
    database
        .execute_batch(
            "UPDATE vault SET number = 99 WHERE number = 1;
             UPDATE vault SET number = 1 WHERE number = 2;
             UPDATE vault SET number = 2 WHERE number = 99;
             UPDATE vault SET sealed = CAST(sealed || x'00' AS BLOB) WHERE number = 3;",
        )
        .unwrap();
    let loaded = vault.load("s1").await.unwrap();
    assert_eq!(loaded.values, [stored(DataType::Email, 4, "4@x.org")]);
    assert_eq!(loaded.damaged, ["[EMAIL_1]", "[EMAIL_2]", "[EMAIL_3]"]);
}

#[tokio::test]
async fn with_another_key_nothing_opens_and_everything_is_named() {
    let state = tempfile::tempdir().unwrap();
    let jane = vec![entry(DataType::Person, 1, "Jane")];
    open(state.path()).store("s1", jane, hours(1)).await.unwrap();
    let other = VaultKey::from_bytes([1; 32]);
    let clock = Clock::manual(SystemTime::UNIX_EPOCH);
    let vault = Store::open(state.path(), clock).unwrap().vault(&other);
    let loaded = vault.load("s1").await.unwrap();
    let expected = Loaded {
        values: vec![],
        last: vec![(DataType::Person, 1)],
        damaged: vec!["[NAME_1]".to_owned()],
    };
    assert_eq!(loaded, expected);
}

#[tokio::test]
async fn a_value_is_erased_from_all_sessions_and_its_number_stays_taken() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    for session in ["s1", "s2"] {
        let entries =
            [entry(DataType::Email, 1, "otto@x.org"), entry(DataType::Email, 2, "Jane@x.org")];
        vault.store(session, entries.to_vec(), hours(1)).await.unwrap();
    }
    let forms =
        [(DataType::Email, "jane@x.org".to_owned()), (DataType::Person, "jane@x.org".to_owned())];
    assert_eq!(vault.erase_value(forms.to_vec()).await.unwrap(), 2);
    assert_eq!(vault.erase_value(forms.to_vec()).await.unwrap(), 0);
    let expected = Loaded {
        values: vec![stored(DataType::Email, 1, "otto@x.org")],
        last: vec![(DataType::Email, 2)],
        damaged: vec![],
    };
    assert_eq!(vault.load("s1").await.unwrap(), expected);
    assert_eq!(vault.erase_session("s1").await.unwrap(), 1);
    assert_eq!(vault.load("s1").await.unwrap(), Loaded { values: vec![], ..expected.clone() });
    assert_eq!(vault.load("s2").await.unwrap(), expected);
}

#[tokio::test]
async fn what_has_expired_is_erased_and_much_later_the_numbers_too() {
    let state = tempfile::tempdir().unwrap();
    let clock = Clock::manual(SystemTime::UNIX_EPOCH);
    let vault = open_at(state.path(), &clock);
    vault.store("s1", vec![entry(DataType::Email, 3, "jane@x.org")], hours(1)).await.unwrap();
    vault.store("s1", vec![entry(DataType::Email, 4, "otto@x.org")], hours(2)).await.unwrap();
    assert_eq!(vault.expire().await.unwrap(), 0);
    clock.advance(hours(1));
    let loaded = vault.load("s1").await.unwrap();
    assert_eq!(loaded.values, [stored(DataType::Email, 4, "otto@x.org")]);
    assert_eq!(vault.expire().await.unwrap(), 1);
    clock.advance(hours(1));
    assert_eq!(vault.expire().await.unwrap(), 1);
    assert_eq!(vault.load("s1").await.unwrap().last, [(DataType::Email, 4)]);
    clock.advance(hours(90 * 24));
    assert_eq!(vault.expire().await.unwrap(), 0);
    assert_eq!(vault.load("s1").await.unwrap(), Loaded::default());
}

#[tokio::test]
async fn values_are_there_for_whoever_opens_the_folder_next() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    let entries = (1..=2_500).map(|n| entry(DataType::Email, n, &format!("{n}@x.org"))).collect();
    vault.store_in_background("s1", entries, hours(1));
    // After what the same session has stored.
    assert_eq!(vault.load("s1").await.unwrap().values.len(), 2_500);
    drop(vault);
    assert_eq!(open(state.path()).load("s1").await.unwrap().values.len(), 2_500);
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

#[tokio::test]
async fn no_value_is_in_the_files_and_what_is_erased_leaves_them() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    let values: Vec<String> = (1..60).map(|n| format!("person{n:04}@example.org")).collect();
    let entries: Vec<VaultEntry> =
        values.iter().zip(1..).map(|(value, n)| entry(DataType::Email, n, value)).collect();
    vault.store("s1", entries[..30].to_vec(), hours(1)).await.unwrap();
    vault.store("s2", entries[30..].to_vec(), hours(1)).await.unwrap();
    let before = files(state.path());
    assert!(values.iter().all(|value| !has(&before, value.as_bytes())));
    let database = Connection::open(state.path().join("state.db")).unwrap();
    let sealed = |session: &str| -> Vec<Vec<u8>> {
        let mut query = database.prepare("SELECT sealed FROM vault WHERE session = ?").unwrap();
        query.query_map([session], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let (erased, stays) = (sealed("s1"), sealed("s2"));
    assert!(erased.iter().chain(&stays).all(|sealed| has(&before, sealed)));
    vault.erase_session("s1").await.unwrap();
    let after = files(state.path());
    assert!(erased.iter().all(|sealed| !has(&after, sealed)));
    assert!(stays.iter().all(|sealed| has(&after, sealed)));
    vault.erase_value(vec![(DataType::Email, values[50].clone())]).await.unwrap();
    assert!(!has(&files(state.path()), &stays[20]));
    assert!(has(&files(state.path()), &stays[21]));
}

#[tokio::test]
async fn many_values_are_kept_in_one_go() {
    let state = tempfile::tempdir().unwrap();
    let vault = open(state.path());
    let entries: Vec<VaultEntry> =
        (1..=2_000).map(|n| entry(DataType::Email, n, &format!("{n}@example.org"))).collect();
    vault.store("s1", entries.to_vec(), hours(1)).await.unwrap();
    assert_eq!(vault.load("s1").await.unwrap().values.len(), 2_000);
}

#[test]
fn a_vault_of_no_state_is_an_error_with_its_cause() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(VaultKey::from_state(&file), Err(StoreError::File { .. })));
}

#[tokio::test]
async fn g40_the_vault_has_a_bounded_number_of_values() {
    let state = tempfile::tempdir().unwrap();
    let clock = Clock::manual(SystemTime::UNIX_EPOCH);
    let vault = open_at(state.path(), &clock);
    let values = |from: u32, to: u32| -> Vec<VaultEntry> {
        (from..=to).map(|n| entry(DataType::Email, n, &format!("{n}@x.org"))).collect()
    };
    vault.store("old", values(1, 100), hours(2)).await.unwrap();
    clock.advance(Duration::from_secs(1));
    vault.store("old", values(101, 200), hours(2)).await.unwrap();
    vault.store("new", values(1, 100), hours(3)).await.unwrap();
    // Of one session, the oldest go.
    vault.bound("old", 160);
    let left = vault.load("old").await.unwrap();
    let numbers: Vec<u32> = left.values.iter().map(|value| value.number).collect();
    assert_eq!(numbers, (81..=200).collect::<Vec<_>>());
    assert_eq!(left.last, [(DataType::Email, 200)]);
    vault.bound("old", 160);
    assert_eq!(vault.load("old").await.unwrap().values.len(), 120);
    // Of all, those that expire first.
    assert_eq!(vault.trim_to(150).await.unwrap(), 70);
    assert_eq!(vault.load("old").await.unwrap().values.len(), 50);
    assert_eq!(vault.load("new").await.unwrap().values.len(), 100);
    assert_eq!(vault.trim_to(150).await.unwrap(), 0);
}
