//! The numbers of tokens that were given out in a state folder, for all sessions together.
//!
//! A file of a few lines beside the database, `state.db-tokens`: a session that is about to
//! show a value cannot wait in the database's queue. Whoever reserves numbers holds a lock on
//! it and writes before the numbers are used, so no number is given out twice, not even after
//! a crash.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tidegate_model::DataType;

use crate::StoreError;
use crate::private_files::create_private_dir;

const FILE: &str = "state.db-tokens";
/// The file has one short line for each type.
const MAX_BYTES: u64 = 4096;

/// The counter of a state folder.
#[derive(Debug, Clone)]
pub struct TokenNumbers {
    state_dir: PathBuf,
}

impl TokenNumbers {
    /// The counter of this state folder.
    pub fn new(state_dir: &Path) -> Self {
        Self { state_dir: state_dir.to_owned() }
    }

    /// Reserves `count` successive numbers of a type, all above `above`, and returns the first.
    /// `given` returns the numbers that are in use if the file does not exist yet.
    pub fn reserve(
        &self,
        data_type: DataType,
        above: u32,
        count: u32,
        given: impl FnOnce() -> Result<Vec<(DataType, u32)>, StoreError>,
    ) -> Result<u32, StoreError> {
        create_private_dir(&self.state_dir)?;
        let path = self.state_dir.join(FILE);
        let failed = |source| StoreError::File { path: path.clone(), source };
        let mut file = open(&path).map_err(failed)?;
        // Held for two small writes; released with the file.
        file.lock().map_err(failed)?;
        let mut last = read(&mut file).map_err(failed)?;
        if last.is_empty() {
            last.extend(given()?);
        }
        let entry = last.entry(data_type).or_default();
        let first = (*entry).max(above).checked_add(1);
        let first = first.filter(|first| first.checked_add(count).is_some());
        let first = first.ok_or_else(|| failed(io::Error::other("no token numbers are left")))?;
        *entry = first + count - 1;
        write(&mut file, &last).map_err(failed)?;
        Ok(first)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_links = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
        options.mode(0o600).custom_flags(no_links);
    }
    options.open(path)
}

/// The highest number of each type. A damaged file is an error: to start again would give
/// out numbers twice.
fn read(file: &mut File) -> io::Result<BTreeMap<DataType, u32>> {
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    let line = |line: &str| {
        let (name, number) = line.split_once(' ')?;
        let data_type = DataType::ALL.into_iter().find(|data_type| data_type.as_str() == name)?;
        Some((data_type, number.trim_end().parse().ok()?))
    };
    let lines: Option<_> = text.lines().map(line).collect();
    lines.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the file is damaged"))
}

/// Every line keeps its length, so that a write that is cut off damages no other line.
fn write(file: &mut File, last: &BTreeMap<DataType, u32>) -> io::Result<()> {
    let lines = DataType::ALL.into_iter().map(|data_type| {
        format!("{} {:010}\n", data_type.as_str(), last.get(&data_type).copied().unwrap_or(0))
    });
    let text: String = lines.collect();
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tidegate_model::DataType::{Email, Phone};

    use super::TokenNumbers;

    #[test]
    fn no_number_is_reserved_twice() {
        let state = tempfile::tempdir().unwrap();
        let numbers = TokenNumbers::new(state.path());
        let reserve = |data_type, above, count| {
            numbers.reserve(data_type, above, count, || Ok(Vec::new())).unwrap()
        };
        assert_eq!(reserve(Email, 0, 1), 1);
        assert_eq!(reserve(Email, 0, 8), 2);
        assert_eq!(reserve(Phone, 0, 1), 1);
        assert_eq!(reserve(Email, 20, 1), 21);
        assert_eq!(TokenNumbers::new(state.path()).reserve(Email, 0, 1, || panic!()).unwrap(), 22);
    }

    #[test]
    fn many_at_once_get_different_numbers() {
        let state = tempfile::tempdir().unwrap();
        let mut given: Vec<u32> = std::thread::scope(|scope| {
            let reserve = || {
                let numbers = TokenNumbers::new(state.path());
                let one = |_| numbers.reserve(Email, 0, 2, || Ok(Vec::new())).unwrap();
                (0..50).map(one).collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(reserve)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        given.sort_unstable();
        assert_eq!(given, (0..200).map(|number| number * 2 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_of_an_earlier_version_and_of_a_damaged_file_are_not_given_out_again() {
        let state = tempfile::tempdir().unwrap();
        let numbers = TokenNumbers::new(state.path());
        assert_eq!(numbers.reserve(Email, 0, 1, || Ok(vec![(Email, 7)])).unwrap(), 8);
        fs::write(state.path().join("state.db-tokens"), "EMAIL 1\nnonsense").unwrap();
        assert!(numbers.reserve(Email, 0, 1, || Ok(Vec::new())).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed() {
        let state = tempfile::tempdir().unwrap();
        let other = state.path().join("other");
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, state.path().join("state.db-tokens")).unwrap();
        let numbers = TokenNumbers::new(state.path());
        assert!(numbers.reserve(Email, 0, 1, || Ok(Vec::new())).is_err());
        assert_eq!(fs::read_to_string(other).unwrap(), "");
    }
}
