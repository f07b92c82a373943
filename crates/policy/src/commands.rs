//! Decides whether a host command may run with these arguments.
//!
//! In: a command name and arguments from a program. Out: a [`CommandPermit`] or a
//! [`CommandDenial`]. Patterns are not a security boundary: the jail limits what a command
//! can do. Patterns keep programs to the use that the user intended.
//! Invariant: only `Policy::decide_command` makes a [`CommandPermit`].

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use tidegate_model::{ArgumentPattern, CommandSpec};

use crate::permissions::{Permissions, ProfileRefusal};

/// Maximum arguments of one command. Chosen: far above legitimate use.
const MAX_ARGUMENTS: usize = 256;

/// Maximum bytes of all arguments. Chosen: half of what Linux accepts for one argument.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// Maximum memory of a compiled pattern. Chosen: ten thousand of them fit into a
/// gateway's memory.
const MAX_PATTERN_BYTES: usize = 256 * 1024;

/// Permission to run one command, once. Made only by `Policy::decide_command`.
#[derive(Debug)]
pub struct CommandPermit<'a> {
    spec: &'a CommandSpec,
    arguments: Vec<String>,
}

impl<'a> CommandPermit<'a> {
    /// Consumes the permit.
    pub fn into_parts(self) -> (&'a CommandSpec, Vec<String>) {
        (self.spec, self.arguments)
    }
}

/// Why a command is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandDenial {
    /// No command has this name. Lists those that the run may use.
    Unknown(Vec<String>),
    /// A profile does not allow it.
    Profile(ProfileRefusal),
    /// It got too few or too many arguments.
    Count {
        /// The minimum.
        least: usize,
        /// The maximum, if there is one.
        most: Option<usize>,
    },
    /// The arguments are too long in total.
    TooLong,
    /// The argument at this index contains a NUL or a line break.
    Character(usize),
    /// The argument at this index does not match its pattern.
    Argument(usize),
}

/// The configured commands with their patterns compiled.
#[derive(Debug, Default)]
pub(crate) struct Commands(BTreeMap<String, Command>);

#[derive(Debug)]
struct Command {
    spec: CommandSpec,
    arguments: Vec<ArgumentMatcher>,
    rest: Option<ArgumentMatcher>,
}

#[derive(Debug)]
enum ArgumentMatcher {
    Exact(String),
    Any,
    Regex(Regex),
    /// A pattern that does not compile matches nothing. Loading the configuration
    /// already rejects such patterns.
    Nothing,
}

impl Commands {
    pub(crate) fn new(specs: impl IntoIterator<Item = CommandSpec>) -> Self {
        let compiled = |spec: CommandSpec| {
            let arguments = spec.arguments.iter().map(ArgumentMatcher::new).collect();
            let rest = spec.rest.as_ref().map(ArgumentMatcher::new);
            (spec.name.clone(), Command { spec, arguments, rest })
        };
        Self(specs.into_iter().map(compiled).collect())
    }

    pub(crate) fn decide(
        &self,
        permissions: &Permissions,
        name: &str,
        arguments: Vec<String>,
    ) -> Result<CommandPermit<'_>, CommandDenial> {
        let Some(command) = self.0.get(name) else {
            let usable = |name: &&String| permissions.may_run(name).is_ok();
            return Err(CommandDenial::Unknown(self.0.keys().filter(usable).cloned().collect()));
        };
        permissions.may_run(name).map_err(CommandDenial::Profile)?;
        command.check(&arguments)?;
        Ok(CommandPermit { spec: &command.spec, arguments })
    }
}

impl Command {
    fn check(&self, arguments: &[String]) -> Result<(), CommandDenial> {
        let least = self.arguments.len();
        let most = if self.rest.is_some() { MAX_ARGUMENTS.max(least) } else { least };
        if !(least..=most).contains(&arguments.len()) {
            let most = self.rest.is_none().then_some(least);
            return Err(CommandDenial::Count { least, most });
        }
        if arguments.iter().map(String::len).sum::<usize>() > MAX_ARGUMENT_BYTES {
            return Err(CommandDenial::TooLong);
        }
        let matchers = self.arguments.iter().chain(std::iter::repeat_with(|| {
            // Reached only if there is a pattern for the rest: see the count above.
            self.rest.as_ref().unwrap_or(&ArgumentMatcher::Nothing)
        }));
        for (index, (argument, matcher)) in arguments.iter().zip(matchers).enumerate() {
            if argument.contains(['\0', '\n', '\r']) {
                return Err(CommandDenial::Character(index));
            }
            if !matcher.matches(argument) {
                return Err(CommandDenial::Argument(index));
            }
        }
        Ok(())
    }
}

impl ArgumentMatcher {
    fn new(pattern: &ArgumentPattern) -> Self {
        match pattern {
            ArgumentPattern::Exact(text) => Self::Exact(text.clone()),
            ArgumentPattern::Any => Self::Any,
            ArgumentPattern::Regex(text) => {
                // A group of its own: `a|b` must not become `\Aa|b\z`.
                let whole = format!(r"\A(?:{text})\z");
                let built = RegexBuilder::new(&whole).size_limit(MAX_PATTERN_BYTES).build();
                built.map_or(Self::Nothing, Self::Regex)
            }
        }
    }

    fn matches(&self, argument: &str) -> bool {
        match self {
            Self::Exact(text) => argument == text,
            Self::Any => !argument.is_empty() && !argument.starts_with('-'),
            Self::Regex(regex) => regex.is_match(argument),
            Self::Nothing => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidegate_model::{ArgumentPattern, CommandSpec, Profile};

    use super::{CommandDenial, Commands};
    use crate::permissions::{Permissions, ProfileRefusal, ProfileRule};

    fn spec(arguments: Vec<ArgumentPattern>, rest: Option<ArgumentPattern>) -> CommandSpec {
        CommandSpec {
            name: "git".into(),
            path: "/usr/bin/git".into(),
            identity: None,
            arguments,
            rest,
            read: Vec::new(),
            write: Vec::new(),
            environment: std::collections::BTreeMap::new(),
            time: CommandSpec::DEFAULT_TIME,
            output_bytes: CommandSpec::DEFAULT_OUTPUT_BYTES,
            memory_bytes: CommandSpec::DEFAULT_MEMORY_BYTES,
        }
    }

    fn permissions(profile: &str) -> Permissions {
        let found = Profile::built_in().into_iter().find(|known| known.name == profile).unwrap();
        Permissions { profiles: vec![Arc::new(found)] }
    }

    fn decide(commands: &Commands, arguments: &[&str]) -> Result<(), CommandDenial> {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        commands.decide(&permissions("execute_full"), "git", arguments).map(|_| ())
    }

    #[test]
    fn every_argument_must_match_the_pattern_at_its_position() {
        let exact = ArgumentPattern::Exact("log".into());
        let number = ArgumentPattern::Regex("-n[0-9]{1,3}|--all".into());
        let commands = Commands::new([spec(vec![exact, number], Some(ArgumentPattern::Any))]);
        let refused = |index| Err(CommandDenial::Argument(index));
        assert_eq!(decide(&commands, &["log", "-n12"]), Ok(()));
        assert_eq!(decide(&commands, &["log", "--all", "a", "b c; rm -rf /"]), Ok(()));
        assert_eq!(decide(&commands, &["push", "-n12"]), refused(0));
        assert_eq!(decide(&commands, &["log", "-n1234"]), refused(1));
        assert_eq!(decide(&commands, &["log", "x--all"]), refused(1));
        assert_eq!(decide(&commands, &["log", "-n1", "a", "--upload-pack=x"]), refused(3));
        assert_eq!(decide(&commands, &["log", "-n1", "a", "-"]), refused(3));
        assert_eq!(decide(&commands, &["log", "-n1", ""]), refused(2));
        for text in ["a\nb", "a\0b", "a\rb"] {
            let denial = Err(CommandDenial::Character(2));
            assert_eq!(decide(&commands, &["log", "-n1", text]), denial);
        }
    }

    #[test]
    fn the_number_and_the_size_of_arguments_are_bounded() {
        let commands = Commands::new([spec(vec![ArgumentPattern::Any], None)]);
        let one = Err(CommandDenial::Count { least: 1, most: Some(1) });
        assert_eq!(decide(&commands, &["a"]), Ok(()));
        assert_eq!(decide(&commands, &[]), one);
        assert_eq!(decide(&commands, &["a", "b"]), one);
        let longest = "a".repeat(64 * 1024);
        assert_eq!(decide(&commands, &[&longest]), Ok(()));
        assert_eq!(decide(&commands, &[&format!("{longest}a")]), Err(CommandDenial::TooLong));
        let many = Commands::new([spec(Vec::new(), Some(ArgumentPattern::Any))]);
        assert_eq!(decide(&many, &["a"; 256]), Ok(()));
        let denial = Err(CommandDenial::Count { least: 0, most: None });
        assert_eq!(decide(&many, &["a"; 257]), denial);
    }

    #[test]
    fn a_pattern_that_does_not_compile_matches_nothing() {
        let commands = Commands::new([spec(vec![ArgumentPattern::Regex("(".into())], None)]);
        assert_eq!(decide(&commands, &["("]), Err(CommandDenial::Argument(0)));
    }

    #[test]
    fn only_commands_of_the_profile_run_and_are_listed() {
        let commands = Commands::new([spec(Vec::new(), None)]);
        let unknown = |profile: &str| {
            commands.decide(&permissions(profile), "gti", Vec::new()).map(|_| ()).unwrap_err()
        };
        assert_eq!(unknown("execute_full"), CommandDenial::Unknown(vec!["git".into()]));
        assert_eq!(unknown("default"), CommandDenial::Unknown(Vec::new()));
        let refused = commands.decide(&permissions("default"), "git", Vec::new()).map(|_| ());
        let refusal = ProfileRefusal { profile: "default".into(), rule: ProfileRule::Commands };
        assert_eq!(refused.unwrap_err(), CommandDenial::Profile(refusal));
    }
}
