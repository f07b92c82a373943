//! Asks the person at the terminal for approval.
//!
//! Uses the terminal itself, since standard input may be the program. A yes takes the same
//! way as `tidegate approvals approve`: it is signed with the passphrase and stored, and the
//! gateway verifies it there. A no is for this run. Without a terminal nobody is asked here.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tidegate_config::Settings;
use tidegate_gateway::admin::{Admin, ApprovalScope, ApproverKey};
use tidegate_gateway::{Approver, Form, Reply, Shown, Yes};

use crate::passphrase::{self, Terminal};

/// How often a passphrase may be mistyped before the question waits for somebody else.
const ATTEMPTS: usize = 3;

/// The terminal of this process, if a person is there to see it.
pub(crate) fn approver(settings: &Settings) -> Option<Arc<dyn Approver>> {
    let is_visible = std::io::stderr().is_terminal();
    let terminal = Terminal::open().filter(|_| is_visible)?;
    let state_dir = settings.state_dir.clone();
    Some(Arc::new(AtTerminal { terminal, admin: Arc::new(Admin::new(settings)), state_dir }))
}

struct AtTerminal {
    terminal: Terminal,
    admin: Arc<Admin>,
    state_dir: PathBuf,
}

impl Approver for AtTerminal {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn yes(&self) -> Yes {
        Yes::Signed
    }

    fn ask<'a>(
        &'a self,
        form: &'a Shown<Form>,
    ) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send + 'a>> {
        let (form, terminal) = (form.clone(), self.terminal.try_clone());
        let (admin, state_dir) = (Arc::clone(&self.admin), self.state_dir.clone());
        Box::pin(async move {
            let question = Question { form, terminal: terminal.ok()?, admin, state_dir };
            // A blocking read cannot be cancelled; it ends with the process.
            tokio::task::spawn_blocking(move || question.ask()).await.ok()?
        })
    }
}

struct Question {
    form: Shown<Form>,
    terminal: Terminal,
    admin: Arc<Admin>,
    state_dir: PathBuf,
}

impl Question {
    fn ask(&self) -> Option<Reply> {
        self.terminal.show(&self.form.text()).ok()?;
        let Some(key) = ApproverKey::load(&self.state_dir).ok()? else {
            let missing =
                "To approve this here, set a passphrase first: `tidegate approvals setup`";
            self.terminal.show(missing).ok()?;
            return None;
        };
        let prompt =
            "\napprove? [y] once, [s] for this session, [a] all calls of these tools, [N] no: ";
        let scope = match self.terminal.line(prompt).ok()?.trim() {
            "y" | "Y" | "yes" => ApprovalScope::Once,
            "s" | "S" | "session" => ApprovalScope::Session,
            "a" | "A" | "all" => ApprovalScope::AllCalls,
            _ => return Some(Reply::Deny),
        };
        self.approve(&key, scope)
    }

    fn approve(&self, key: &ApproverKey, scope: ApprovalScope) -> Option<Reply> {
        let approvals = self.admin.approvals().ok()?;
        let one = approvals.find(&self.form.id).ok()??;
        for _ in 0..ATTEMPTS {
            match passphrase::ask(&self.terminal, key) {
                Ok(signer) => {
                    approvals.approve(&one, scope, (&signer, key.channel())).ok()?;
                    return Some(Reply::Stored);
                }
                Err(error) => self.terminal.show(&error.to_string()).ok()?,
            }
        }
        None
    }
}
