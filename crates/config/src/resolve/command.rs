//! Resolves host commands: finds and pins the executable, reads the patterns.
//!
//! The checks here catch mistakes. They are not a security boundary: a command's
//! jail limits what it can do.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use regex::RegexBuilder;
use tidegate_model::{ArgumentPattern, CommandSpec, FileIdentity, Secret};

use crate::error::{ConfigError, ConfigErrorKind};
use crate::read::raw::{RawCommand, RawText};
use crate::resolve::check_name;
use crate::resolve::resolver::Resolver;
use crate::settings::state_dir::state_dir;

/// Executables that run whatever their arguments say. One of them as a command
/// would make the list of commands meaningless.
const RUN_ANYTHING: &[&str] = &[
    "ash",
    "bash",
    "busybox",
    "chroot",
    "csh",
    "dash",
    "doas",
    "env",
    "fish",
    "ksh",
    "mksh",
    "nsenter",
    "pkexec",
    "rbash",
    "run0",
    "runuser",
    "script",
    "setpriv",
    "sh",
    "su",
    "sudo",
    "systemd-run",
    "tcsh",
    "toybox",
    "unshare",
    "xargs",
    "zsh",
];

/// Variables that make the loader or the C library run other code.
const STEERING: &[&str] = &["GCONV_PATH", "GLIBC_TUNABLES", "LD_", "LOCPATH", "NLSPATH"];

/// The same limit as in policy, which compiles it again.
const PATTERN_BYTES: usize = 256 * 1024;

impl Resolver<'_> {
    pub(crate) fn commands(&mut self, raw: &[RawCommand]) -> Result<Vec<CommandSpec>, ConfigError> {
        let mut commands = Vec::new();
        for command in raw {
            commands.push(self.command(command)?);
        }
        for (raw, command) in raw.iter().zip(&commands) {
            let writable =
                |path: &&PathBuf| command.write.iter().any(|granted| path.starts_with(granted));
            if let Some(path) = command.read.iter().find(writable) {
                let message = format!(
                    "`{}` is granted as read-only, but is inside a path that command `{}` can \
                     write",
                    path.display(),
                    command.name
                );
                return Err(self
                    .error(ConfigErrorKind::BadCommand, raw.offset, message)
                    .with_hint("grant it once, or grant a writable folder outside of it"));
            }
        }
        // Otherwise one command could replace the executable of another.
        for (raw, command) in raw.iter().zip(&commands) {
            let writable = |other: &&CommandSpec| {
                other.write.iter().any(|granted| command.path.starts_with(granted))
            };
            if let Some(other) = commands.iter().find(writable) {
                let message = format!(
                    "the executable of command `{}` is inside a path that command `{}` can write",
                    command.name, other.name
                );
                return Err(self.error(ConfigErrorKind::BadCommand, raw.offset, message));
            }
        }
        Ok(commands)
    }

    /// The files that no command may write, by name. Whoever can write the configuration or the
    /// state can have anything started the next time, outside every jail; whoever can
    /// write rules can allow what was denied.
    pub(crate) fn own_files(
        &self,
        rules: &[PathBuf],
        patterns: &[PathBuf],
    ) -> Result<Vec<(&'static str, PathBuf)>, ConfigError> {
        let mut own = vec![
            ("this configuration", self.source.path.clone()),
            ("the state folder", state_dir(self.env)?),
        ];
        own.extend(rules.iter().map(|path| ("the rules for calls (`policy`)", path.clone())));
        own.extend(
            patterns.iter().map(|path| ("the rule files of `checks.patterns`", path.clone())),
        );
        Ok(own)
    }

    pub(crate) fn refuse_writing(
        &self,
        own: &[(&str, PathBuf)],
        raw: &[RawCommand],
        commands: &[CommandSpec],
    ) -> Result<(), ConfigError> {
        for (raw, command) in raw.iter().zip(commands) {
            let granted =
                |place: &PathBuf| command.write.iter().any(|granted| place.starts_with(granted));
            let writable = |path: &Path| entries(path).iter().any(granted);
            if let Some((what, _)) = own.iter().find(|(_, path)| writable(path)) {
                let message = format!("command `{}` could write {what}", command.name);
                return Err(self
                    .error(ConfigErrorKind::BadCommand, raw.offset, message)
                    .with_hint("grant a subfolder, or move it elsewhere"));
            }
        }
        Ok(())
    }

    fn command(&mut self, raw: &RawCommand) -> Result<CommandSpec, ConfigError> {
        let name = &raw.name;
        if let Some(problem) = check_name::word_problem(name) {
            let message = format!("command name `{name}` {problem}");
            return Err(self.error(ConfigErrorKind::BadName, raw.offset, message));
        }
        let Some(path) = &raw.path else {
            let message = format!("command `{name}` has no `path`");
            return Err(self
                .error(ConfigErrorKind::BadValue, raw.offset, message)
                .with_hint("write the absolute path of its executable"));
        };
        let (path, identity) = self.executable(raw, path)?;
        let patterns = raw.args.iter().map(|written| self.argument(written));
        Ok(CommandSpec {
            name: name.clone(),
            path,
            identity,
            arguments: patterns.collect::<Result<_, _>>()?,
            rest: raw.rest.as_ref().map(|written| self.argument(written)).transpose()?,
            read: self.granted(&raw.read)?,
            write: self.granted(&raw.write)?,
            environment: self.environment(raw)?,
            time: raw.time.unwrap_or(CommandSpec::DEFAULT_TIME),
            output_bytes: raw.output_bytes.unwrap_or(CommandSpec::DEFAULT_OUTPUT_BYTES),
            memory_bytes: raw.memory_bytes.unwrap_or(CommandSpec::DEFAULT_MEMORY_BYTES),
        })
    }

    /// The executable with all links resolved, and the identity of the file now. If it does not
    /// exist, the command fails when it is used, with a warning now.
    fn executable(
        &mut self,
        raw: &RawCommand,
        written: &RawText,
    ) -> Result<(PathBuf, Option<FileIdentity>), ConfigError> {
        let name = &raw.name;
        let bad = |fact: String| self.error(ConfigErrorKind::BadCommand, written.offset, fact);
        let path = self.file_path(written)?;
        if !path.is_absolute() {
            return Err(bad(format!("{} is not absolute", written.label))
                .with_hint("commands are not looked up on `PATH`"));
        }
        let found = fs::canonicalize(&path).and_then(|path| Ok((fs::metadata(&path)?, path)));
        for path in [Some(&path), found.as_ref().ok().map(|(_, path)| path)].into_iter().flatten() {
            if runs_anything(path) {
                return Err(bad(format!("{} runs whatever its arguments say", written.label))
                    .with_hint("name the executable that is to be run, without a shell"));
            }
        }
        let Ok((data, path)) = found else {
            let place = self.source.place(written.offset);
            self.warnings.push(format!(
                "the executable of command `{name}` is not there, so it cannot be run (at {place})"
            ));
            return Ok((path, None));
        };
        if !data.is_file() || data.permissions().mode() & 0o111 == 0 {
            return Err(bad(format!("{} is not an executable file", written.label)));
        }
        if data.permissions().mode() & 0o002 != 0 {
            return Err(bad(format!("{} is writable by everybody", written.label))
                .with_hint("remove write access for others: `chmod o-w`"));
        }
        Ok((path, Some(FileIdentity::of(&data))))
    }

    fn argument(&self, written: &RawText) -> Result<ArgumentPattern, ConfigError> {
        let text = written.text.expose();
        let bad = |fact: &str| {
            let message = format!("{} {fact}", written.label);
            self.error(ConfigErrorKind::BadValue, written.offset, message)
        };
        if text.contains(['\0', '\n', '\r']) {
            return Err(bad("has a NUL or a line end, which no argument can have"));
        }
        if text == "*" {
            return Ok(ArgumentPattern::Any);
        }
        if let Some(exact) = text.strip_prefix("exact:") {
            return Ok(ArgumentPattern::Exact(exact.to_owned()));
        }
        if let Some(regex) = text.strip_prefix("regex:") {
            let whole = format!(r"\A(?:{regex})\z");
            if RegexBuilder::new(&whole).size_limit(PATTERN_BYTES).build().is_err() {
                return Err(bad("is not a regular expression, or is too large"));
            }
            return Ok(ArgumentPattern::Regex(regex.to_owned()));
        }
        if text.contains('*') {
            return Err(bad("has a `*` inside, which means nothing")
                .with_hint("write `regex:…` for a pattern, or `exact:…` for the text itself"));
        }
        Ok(ArgumentPattern::Exact(text.clone()))
    }

    /// Granted paths with all links resolved, so that the grant covers what was meant.
    fn granted(&mut self, written: &[RawText]) -> Result<Vec<PathBuf>, ConfigError> {
        let mut granted = Vec::new();
        for written in written {
            let path = self.file_path(written)?;
            let bad = |fact: &str| {
                let message = format!("{} {fact}", written.label);
                self.error(ConfigErrorKind::BadValue, written.offset, message)
            };
            if !path.is_absolute() {
                return Err(bad("is not absolute").with_hint("write the whole path"));
            }
            let Ok(path) = fs::canonicalize(&path) else {
                return Err(bad("is not there").with_hint("create it, or remove it from the list"));
            };
            if path == Path::new("/") || path.starts_with("/proc") || path.starts_with("/sys") {
                return Err(bad("would open the whole machine"));
            }
            granted.push(path);
        }
        Ok(granted)
    }

    fn environment(
        &self,
        raw: &RawCommand,
    ) -> Result<BTreeMap<String, Secret<String>>, ConfigError> {
        let mut environment = BTreeMap::new();
        for (name, written) in &raw.env {
            let steers = STEERING.iter().any(|prefix| name.starts_with(prefix));
            if name.is_empty() || name.contains(['=', '\0']) || steers {
                let message = format!("`env` in command `{}` has an invalid name", raw.name);
                return Err(self
                    .error(ConfigErrorKind::BadValue, written.offset, message)
                    .with_hint(
                        "no `=`, and nothing that steers the loader, such as `LD_PRELOAD`",
                    ));
            }
            environment.insert(name.clone(), Secret::new(self.expander.expand(written)?));
        }
        Ok(environment)
    }
}

/// Every folder entry on which the target of a path depends: the path itself and
/// the folders and links on the way, with links resolved, whether they exist or not.
fn entries(path: &Path) -> Vec<PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let entry = |path: &Path| {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    path.ancestors().filter_map(entry).chain(fs::canonicalize(&path)).collect()
}

fn runs_anything(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    RUN_ANYTHING.contains(&&*name)
        || name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || name.starts_with("ld.so")
}
