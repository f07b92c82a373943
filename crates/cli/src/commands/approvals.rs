//! `tidegate approvals list|show|approve|deny|setup`: shows pending approvals and answers
//! them. Approving takes the passphrase that `setup` sets; denying takes nothing.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tidegate_config::Environment;
use tidegate_gateway::admin::{
    Admin, Approval, ApprovalScope, ApprovalState, ApprovalsAdmin, ApproverKey, ClientForms,
    KeyPlace,
};
use tidegate_model::{Clock, PrincipalKind, did_you_mean, visible, visible_line};

use crate::args::{ApprovalsArgs, ApprovalsCommand};
use crate::print::Usage;
use crate::{context, passphrase, print};

pub(crate) fn run(config: &Option<PathBuf>, args: &ApprovalsArgs) -> anyhow::Result<ExitCode> {
    let settings = context::settings(config, &Environment::from_process())?;
    let state_dir = &settings.state_dir;
    if let ApprovalsCommand::Setup { system, no_client_forms, client_forms } = args.command {
        let place = if system { KeyPlace::System } else { KeyPlace::State };
        let forms = match (client_forms, no_client_forms) {
            (true, _) => Some(ClientForms::Count),
            (false, true) => Some(ClientForms::DoNotCount),
            (false, false) => None,
        };
        return set_up(state_dir, place, forms);
    }
    let approvals = Admin::new(&settings).approvals()?;
    let now = Clock::system().now();
    match &args.command {
        ApprovalsCommand::List { all: true, json } => list(&approvals.all()?, now, *json),
        ApprovalsCommand::List { all: false, json } => list(&approvals.pending()?, now, *json),
        ApprovalsCommand::Show { id, json } => show(&found(&approvals, id)?, now, *json),
        ApprovalsCommand::Approve { id, session, all_calls, json } => {
            let scope = match (session, all_calls) {
                (_, true) => ApprovalScope::AllCalls,
                (true, false) => ApprovalScope::Session,
                (false, false) => ApprovalScope::Once,
            };
            return approve((&approvals, state_dir), id, scope, *json);
        }
        ApprovalsCommand::Deny { id, json } => {
            found(&approvals, id)?;
            return Ok(report(approvals.deny(id, "cli")?, "denied", *json));
        }
        ApprovalsCommand::Setup { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn found(approvals: &ApprovalsAdmin, id: &str) -> anyhow::Result<Approval> {
    if let Some(found) = approvals.find(id)? {
        return Ok(found);
    }
    let open = approvals.pending()?;
    let near = did_you_mean(id, open.iter().map(|one| one.asked.id.as_str()));
    let hint = near.unwrap_or_else(|| "`tidegate approvals list` shows pending approvals".into());
    Err(Usage(format!("there is no approval `{}`\nhint: {hint}", visible_line(id))).into())
}

fn list(all: &[Approval], now: SystemTime, json: bool) {
    if json {
        print::json(&json!({"approvals": all.iter().map(entry).collect::<Vec<_>>()}));
        return;
    }
    if all.is_empty() {
        print::note("no approvals are pending");
    }
    for one in all {
        let name = print::bold(&one.asked.id);
        print::line(format!("{name}  {}  {}", state(one, now), visible_line(&one.asked.title)));
    }
    if all.iter().any(|one| one.state == ApprovalState::Pending) {
        print::note("hint: `tidegate approvals show ID`, then `approve ID` or `deny ID`");
    }
}

fn show(one: &Approval, now: SystemTime, json: bool) {
    if json {
        print::json(&entry(one));
        return;
    }
    print::line(print::bold(&visible_line(&one.asked.title)));
    print::line(format!("{}, run {}", state(one, now), one.asked.run_id));
    print::line(format!("\n{}", visible(one.asked.details.trim_end())));
    print::line(format!("\nSHA-256 of title and details: {}", one.asked.form_sha256));
}

fn approve(
    (approvals, state_dir): (&ApprovalsAdmin, &Path),
    id: &str,
    scope: ApprovalScope,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let one = found(approvals, id)?;
    if one.state != ApprovalState::Pending {
        return Ok(too_late(&one));
    }
    let covers = match scope {
        ApprovalScope::Once => "once",
        ApprovalScope::Session => "for the rest of its session",
        ApprovalScope::AllCalls => "for the rest of its session, with all calls of these tools",
    };
    let title = visible_line(&one.asked.title);
    let what = format!("{title}\n\n{}\nApprove it {covers}?", one.asked.details);
    let (signer, channel) = passphrase::unlock(state_dir, &what)?;
    let answered = approvals.approve(&one, scope, (&signer, channel))?;
    let code = report(answered, "approved", json);
    if code == ExitCode::SUCCESS && !json {
        let run = visible_line(&one.asked.run_id).into_owned();
        print::note(format!(
            "to resume a run that has stopped waiting: `tidegate run --resume {run}`"
        ));
    }
    Ok(code)
}

fn report(answered: Option<(bool, Approval)>, word: &str, json: bool) -> ExitCode {
    let Some((counts, one)) = answered else { return ExitCode::FAILURE };
    if json {
        print::json(&entry(&one));
    } else if counts {
        print::line(format!("{word}: {}", visible_line(&one.asked.title)));
    } else {
        return too_late(&one);
    }
    ExitCode::from(u8::from(!counts))
}

fn too_late(one: &Approval) -> ExitCode {
    let (id, state) = (&one.asked.id, one.state.as_str());
    print::error(&format!("error: `{id}` cannot be answered any more: it is {state}"));
    ExitCode::FAILURE
}

fn set_up(
    state_dir: &Path,
    place: KeyPlace,
    forms: Option<ClientForms>,
) -> anyhow::Result<ExitCode> {
    let key = passphrase::set_up(state_dir, place, forms)?;
    let path = ApproverKey::path(place, state_dir);
    print::line(format!("the approver's key is in `{}`", path.display()));
    print::note(
        "approving, `tools accept`, `pii restore` and `pii erase` now ask for the passphrase; \
         restart gateways that use an earlier key",
    );
    print::note(match key.client_forms() {
        ClientForms::Count => {
            "a client that shows forms can approve without it: if an agent can start a gateway of \
             its own, it is such a client; `--no-client-forms` stops this"
        }
        ClientForms::DoNotCount => "replies to forms of clients approve nothing",
    });
    if place == KeyPlace::State {
        print::note(
            "a program of this user can still replace the file: see `tidegate doctor` for \
             stronger ways",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn state(one: &Approval, now: SystemTime) -> String {
    let clock = |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
    let ago = |time: SystemTime| clock(now.duration_since(time).unwrap_or_default());
    let asked = format!("asked {} ago by {}", ago(one.asked.created_at), asker(one));
    match one.state {
        ApprovalState::Pending => {
            let left = one.asked.expires_at.duration_since(now).unwrap_or_default();
            format!("pending, {} left, {asked}", clock(left))
        }
        state => match (&one.decided_by, one.decided_at) {
            (Some(by), Some(at)) => {
                format!("{} ({} ago by {}), {asked}", state.as_str(), ago(at), decider(by))
            }
            _ => format!("{}, {asked}", state.as_str()),
        },
    }
}

/// How it was decided, in words.
fn decider(by: &str) -> String {
    match by {
        "client" => "a client's form, without the passphrase".to_owned(),
        _ => visible_line(by).into_owned(),
    }
}

/// Who asked, in words.
fn asker(one: &Approval) -> String {
    match PrincipalKind::of_key(&one.asked.asked_by) {
        PrincipalKind::Process => "a client on stdio".to_owned(),
        PrincipalKind::LocalUser => "`tidegate run`".to_owned(),
        PrincipalKind::Named => visible_line(&one.asked.asked_by).into_owned(),
    }
}

fn entry(one: &Approval) -> Value {
    let unix_ms = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    };
    json!({
        "id": one.asked.id,
        "state": one.state.as_str(),
        "kind": one.asked.kind,
        "title": one.asked.title,
        "details": one.asked.details,
        "run_id": one.asked.run_id,
        "subject_sha256": one.asked.subject,
        "form_sha256": one.asked.form_sha256,
        "created_at_ms": unix_ms(one.asked.created_at),
        "expires_at_ms": unix_ms(one.asked.expires_at),
        "asked_by": one.asked.asked_by,
        "decided_by": one.decided_by,
        "decided_at_ms": one.decided_at.map(unix_ms),
    })
}
