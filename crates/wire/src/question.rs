//! The questions that a program can ask the gateway without calling a tool.
//!
//! In: a code byte from the guest. Out: a [`Question`] and the longest body it may have.
//! Invariant: the codes are the numbers that the guest's scripts send
//! (`worker/src/python/channel.py`, `worker/src/v8/bootstrap.js`).

use crate::codec::WireError;
use crate::fields::TEXT_LIMIT;

/// Longest body of [`Question::SaveSkill`]: JSON of 64 KiB of code, where each byte may
/// need an escape of six bytes, plus a name and a description.
pub const SKILL_LIMIT: usize = 512 * 1024;

/// A question that a program can ask without a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Which servers exist?
    Servers,
    /// Which functions does this server have? With a function name on a second line, the
    /// definition of that function.
    Functions,
    /// Which tools match this query?
    Search,
    /// What does this folder of the program's virtual tree contain?
    ReadDir,
    /// What does this file of the program's virtual tree contain?
    ReadFile,
    /// What is the text of the skill with this name?
    LoadSkill,
    /// Save this skill. JSON text: name, code, description. The only question that
    /// changes something.
    SaveSkill,
    /// What may be known about the values behind these tokens? JSON text: the operation
    /// (`domain`, `equals`, `mask`) and the tokens. The answer never contains a value.
    Pii,
}

impl Question {
    const ALL: [Self; 8] = [
        Self::Servers,
        Self::Functions,
        Self::Search,
        Self::ReadDir,
        Self::ReadFile,
        Self::LoadSkill,
        Self::SaveSkill,
        Self::Pii,
    ];

    /// The longest body of this question, in bytes.
    pub fn body_limit(self) -> usize {
        match self {
            Self::Servers
            | Self::Functions
            | Self::Search
            | Self::ReadDir
            | Self::ReadFile
            | Self::LoadSkill
            | Self::Pii => TEXT_LIMIT,
            Self::SaveSkill => SKILL_LIMIT,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Servers => 1,
            Self::Functions => 2,
            Self::Search => 3,
            Self::ReadDir => 4,
            Self::ReadFile => 5,
            Self::LoadSkill => 6,
            Self::SaveSkill => 7,
            Self::Pii => 8,
        }
    }

    pub(crate) fn from_code(code: u8) -> Result<Self, WireError> {
        Self::ALL
            .into_iter()
            .find(|question| question.code() == code)
            .ok_or(WireError::BadValue { field: "question", value: u32::from(code) })
    }
}

#[cfg(test)]
mod tests {
    use super::Question;
    use crate::codec::WireError;

    #[test]
    fn questions_have_the_numbers_that_the_scripts_of_the_guest_send() {
        for (code, question) in (1..).zip(Question::ALL) {
            assert_eq!((question.code(), Question::from_code(code)), (code, Ok(question)));
        }
        let unknown = WireError::BadValue { field: "question", value: 9 };
        assert_eq!(Question::from_code(9), Err(unknown));
    }
}
