//! Asks the approver for their passphrase.
//!
//! In: the key, and what the person is about to decide. Out: the private half of the key,
//! which signs the decision. The passphrase is read from the controlling terminal only,
//! without echo: never from standard input, an argument or the environment, which a program
//! would fill in. A program can make a terminal of its own; what stops it is that it does
//! not know the passphrase.
//!
//! Invariant: where there is no key or no terminal, the decision is refused.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};
use tidegate_gateway::admin::{ApproverKey, ClientForms, KeyPlace, Signer};
use tidegate_model::visible;
use zeroize::Zeroizing;

/// The shortest passphrase. The file with the key can be read and tried against, so it must
/// not be guessable: four random words have more.
const MIN_CHARS: usize = 12;

/// Ctrl-C, which ends the line while the signal is off.
const CTRL_C: u8 = 3;

/// The decision was refused: exit code 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

/// Asks for the passphrase and unlocks the key; `what` is shown first. Returns how the
/// decision was made as well, for the record.
pub(crate) fn unlock(state_dir: &Path, what: &str) -> anyhow::Result<(Signer, &'static str)> {
    let Some(key) = ApproverKey::load(state_dir)? else { return Err(no_key().into()) };
    let terminal = Terminal::open().ok_or_else(no_terminal)?;
    terminal.show(what)?;
    let signer = ask(&terminal, &key)?;
    Ok((signer, key.channel()))
}

/// Asks for the passphrase of a key, once.
pub(crate) fn ask(terminal: &Terminal, key: &ApproverKey) -> anyhow::Result<Signer> {
    let passphrase = terminal.secret("passphrase (empty to cancel): ")?;
    if passphrase.is_empty() {
        return Err(Refused("error[approval.denied]: nothing was approved".into()).into());
    }
    key.unlock(&passphrase).ok_or_else(|| {
        let message = "error[approval.wrong_passphrase]: wrong passphrase";
        Refused(format!("{message}\nhint: nothing was approved")).into()
    })
}

/// Sets a passphrase, and whether forms of clients count; without a word about these, as
/// before. Replacing a key needs the old passphrase.
pub(crate) fn set_up(
    state_dir: &Path,
    place: KeyPlace,
    client_forms: Option<ClientForms>,
) -> anyhow::Result<ApproverKey> {
    let terminal = Terminal::open().ok_or_else(no_terminal)?;
    let before = ApproverKey::load(state_dir)?;
    if let Some(key) = &before {
        if key.place() == KeyPlace::System && place == KeyPlace::State {
            let message = "error[approval.no_channel]: the passphrase that root has set up takes \
                           precedence";
            let hint = "hint: `sudo tidegate approvals setup --system` changes it";
            return Err(Refused(format!("{message}\n{hint}")).into());
        }
        if key.place() == place {
            terminal.show("A passphrase is already set. To change it, enter the current one.")?;
            ask(&terminal, key)?;
        }
    }
    let first = terminal.secret(&format!("new passphrase ({MIN_CHARS} or more characters): "))?;
    if first.chars().count() < MIN_CHARS {
        return Err(Refused(format!(
            "error[approval.weak_passphrase]: the passphrase is shorter than {MIN_CHARS} characters\n\
             hint: the agent can read the key file and try passphrases; take four random words"
        ))
        .into());
    }
    if *terminal.secret("repeat the passphrase: ")? != *first {
        return Err(
            Refused("error[approval.weak_passphrase]: the two passphrases differ".into()).into()
        );
    }
    let client_forms = client_forms.or(before.map(|key| key.client_forms())).unwrap_or_default();
    let key = ApproverKey::derive(&first, place, client_forms)?;
    key.write(state_dir)?;
    Ok(key)
}

fn no_key() -> Refused {
    Refused(
        "error[approval.no_channel]: this needs the approver's passphrase, and none is set up\n\
         hint: run `tidegate approvals setup` in a terminal, once; see docs/approvals.md"
            .into(),
    )
}

fn no_terminal() -> Refused {
    Refused(
        "error[approval.no_terminal]: the passphrase is read from a terminal, and there is none\n\
         hint: run this command yourself, in a terminal and in the foreground; standard input is \
         not read"
            .into(),
    )
}

/// The controlling terminal of this process, which is in its foreground.
pub(crate) struct Terminal(File);

impl Terminal {
    pub(crate) fn open() -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let in_foreground = tcgetpgrp(&file).is_ok_and(|group| group == rustix::process::getpgrp());
        (isatty(&file) && in_foreground).then_some(Self(file))
    }

    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Shows a text, with characters that would control the terminal as escapes.
    pub(crate) fn show(&self, text: &str) -> io::Result<()> {
        writeln!(&self.0, "\r\x1b[K\n{}", visible(text.trim_end()))
    }

    /// Reads one line with echo.
    pub(crate) fn line(&self, prompt: &str) -> io::Result<String> {
        write!(&self.0, "{prompt}")?;
        let mut line = String::new();
        BufReader::new(&self.0).read_line(&mut line)?;
        Ok(line)
    }

    /// Reads one line without echo. What was typed before the prompt is dropped.
    pub(crate) fn secret(&self, prompt: &str) -> io::Result<Zeroizing<String>> {
        let _quiet = Quiet::start(&self.0)?;
        write!(&self.0, "{prompt}")?;
        let mut line = Zeroizing::new(String::new());
        BufReader::with_capacity(1024, &self.0).read_line(&mut line)?;
        writeln!(&self.0)?;
        if line.as_bytes().contains(&CTRL_C) {
            line.clear();
        }
        let length = line.trim_end_matches(['\r', '\n']).len();
        line.truncate(length);
        Ok(line)
    }
}

/// Echo is off until this is dropped, and so is Ctrl-C as a signal: it would leave the
/// terminal without echo.
struct Quiet<'a>(&'a File, Termios);

impl<'a> Quiet<'a> {
    fn start(terminal: &'a File) -> io::Result<Self> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        tcsetattr(terminal, OptionalActions::Flush, &quiet)?;
        Ok(Self(terminal, before))
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // The terminal is gone if this fails.
        let _ = tcsetattr(self.0, OptionalActions::Flush, &self.1);
    }
}
