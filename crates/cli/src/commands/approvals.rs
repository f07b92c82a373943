//! `tidegate approvals list|show|approve|deny`: what waits for a person, and their answer.
//!
//! The answer goes into the database, where the run that waits finds it, in whatever
//! process it is.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::{Value, json};
use tidegate_config::Environment;
use tidegate_model::{did_you_mean, visible, visible_line};
use tidegate_store::{Approval, ApprovalScope, ApprovalState, Approvals, Store};

use crate::args::{ApprovalsArgs, ApprovalsCommand};
use crate::print::Usage;
use crate::{context, print};

pub(crate) fn run(config: &Option<PathBuf>, args: &ApprovalsArgs) -> anyhow::Result<ExitCode> {
    let settings = context::settings(config, &Environment::from_process())?;
    let approvals = Store::open(&settings.state_dir)?.approvals()?;
    let now = SystemTime::now();
    match &args.command {
        ApprovalsCommand::List { all, json } => list(&approvals.list(!all, now)?, *json, now),
        ApprovalsCommand::Show { id, json } => {
            show(&found(&approvals, id, now)?, *json, now);
        }
        ApprovalsCommand::Approve { id, session, json } => {
            let scope = if *session { ApprovalScope::Session } else { ApprovalScope::Once };
            return answer(&approvals, id, true, scope, *json, now);
        }
        ApprovalsCommand::Deny { id, json } => {
            return answer(&approvals, id, false, ApprovalScope::Once, *json, now);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn found(approvals: &Approvals, id: &str, now: SystemTime) -> anyhow::Result<Approval> {
    if let Some(found) = approvals.find(id, now)? {
        return Ok(found);
    }
    let open = approvals.list(true, now)?;
    let near = did_you_mean(id, open.iter().map(|one| one.asked.id.as_str()));
    let hint = near.unwrap_or_else(|| "`tidegate approvals list` shows what waits".into());
    Err(Usage(format!("there is no approval `{}`\nhint: {hint}", visible_line(id))).into())
}

fn list(all: &[Approval], json: bool, now: SystemTime) {
    if json {
        print::json(&json!({"approvals": all.iter().map(entry).collect::<Vec<_>>()}));
        return;
    }
    if all.is_empty() {
        print::note("nothing waits for an approval");
    }
    for one in all {
        let name = print::bold(&one.asked.id);
        print::line(format!("{name}  {}  {}", standing(one, now), visible_line(&one.asked.title)));
    }
    if all.iter().any(|one| one.state == ApprovalState::Pending) {
        print::note("hint: `tidegate approvals show ID`, then `approve ID` or `deny ID`");
    }
}

fn show(one: &Approval, json: bool, now: SystemTime) {
    if json {
        print::json(&entry(one));
        return;
    }
    print::line(print::bold(&visible_line(&one.asked.title)));
    print::line(format!("{}, run {}", standing(one, now), one.asked.run_id));
    print::line(format!("\n{}", visible(one.asked.details.trim_end())));
}

fn answer(
    approvals: &Approvals,
    id: &str,
    yes: bool,
    scope: ApprovalScope,
    json: bool,
    now: SystemTime,
) -> anyhow::Result<ExitCode> {
    let Some((changed, one)) = approvals.answer(id, yes, scope, "cli", now)? else {
        return found(approvals, id, now).map(|_| ExitCode::FAILURE);
    };
    if json {
        print::json(&entry(&one));
    } else if changed {
        let word = if yes { "approved" } else { "denied" };
        print::line(format!("{word}: {}", visible_line(&one.asked.title)));
    } else {
        let state = one.state.as_str();
        print::error(&format!("error: `{id}` cannot be answered any more: it is {state}"));
    }
    Ok(ExitCode::from(u8::from(!changed)))
}

fn standing(one: &Approval, now: SystemTime) -> String {
    match one.state {
        ApprovalState::Pending => {
            let left = one.asked.expires_at.duration_since(now).unwrap_or_default().as_secs();
            format!("pending, {}:{:02} left", left / 60, left % 60)
        }
        state => state.as_str().to_owned(),
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
        "created_at_ms": unix_ms(one.asked.created_at),
        "expires_at_ms": unix_ms(one.asked.expires_at),
        "decided_by": one.decided_by,
    })
}
