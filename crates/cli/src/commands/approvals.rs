//! `tidegate approvals list|show|approve|deny`: shows pending approvals and answers them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use serde_json::{Value, json};
use tidegate_config::Environment;
use tidegate_gateway::Reply;
use tidegate_gateway::admin::{Admin, Approval, ApprovalState, ApprovalsAdmin};
use tidegate_model::{did_you_mean, visible, visible_line};

use crate::args::{ApprovalsArgs, ApprovalsCommand};
use crate::print::Usage;
use crate::{context, print};

pub(crate) fn run(config: &Option<PathBuf>, args: &ApprovalsArgs) -> anyhow::Result<ExitCode> {
    let settings = context::settings(config, &Environment::from_process())?;
    let approvals = Admin::new(&settings).approvals()?;
    match &args.command {
        ApprovalsCommand::List { all: true, json } => list(&approvals.all()?, *json),
        ApprovalsCommand::List { all: false, json } => list(&approvals.pending()?, *json),
        ApprovalsCommand::Show { id, json } => show(&found(&approvals, id)?, *json),
        ApprovalsCommand::Approve { id, session, all_calls, json } => {
            let reply = match (session, all_calls) {
                (_, true) => Reply::AllCalls,
                (true, false) => Reply::Session,
                (false, false) => Reply::Once,
            };
            return answer(&approvals, id, reply, *json);
        }
        ApprovalsCommand::Deny { id, json } => return answer(&approvals, id, Reply::Deny, *json),
    }
    Ok(ExitCode::SUCCESS)
}

fn found(approvals: &ApprovalsAdmin, id: &str) -> anyhow::Result<Approval> {
    if let Some(found) = approvals.find(id)? {
        return Ok(found);
    }
    let open = approvals.pending()?;
    let near = did_you_mean(id, open.iter().map(|one| one.asked.id.as_str()));
    let hint = near.unwrap_or_else(|| "`tidegate approvals list` shows what waits".into());
    Err(Usage(format!("there is no approval `{}`\nhint: {hint}", visible_line(id))).into())
}

fn list(all: &[Approval], json: bool) {
    if json {
        print::json(&json!({"approvals": all.iter().map(entry).collect::<Vec<_>>()}));
        return;
    }
    if all.is_empty() {
        print::note("nothing waits for an approval");
    }
    for one in all {
        let name = print::bold(&one.asked.id);
        print::line(format!("{name}  {}  {}", state(one), visible_line(&one.asked.title)));
    }
    if all.iter().any(|one| one.state == ApprovalState::Pending) {
        print::note("hint: `tidegate approvals show ID`, then `approve ID` or `deny ID`");
    }
}

fn show(one: &Approval, json: bool) {
    if json {
        print::json(&entry(one));
        return;
    }
    print::line(print::bold(&visible_line(&one.asked.title)));
    print::line(format!("{}, run {}", state(one), one.asked.run_id));
    print::line(format!("\n{}", visible(one.asked.details.trim_end())));
    print::line(format!("\nSHA-256 of title and details: {}", one.asked.form_sha256));
}

fn answer(
    approvals: &ApprovalsAdmin,
    id: &str,
    reply: Reply,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let Some((counts, one)) = approvals.answer(id, reply, "cli")? else {
        return found(approvals, id).map(|_| ExitCode::FAILURE);
    };
    if json {
        print::json(&entry(&one));
    } else if counts {
        let word = if reply == Reply::Deny { "denied" } else { "approved" };
        print::line(format!("{word}: {}", visible_line(&one.asked.title)));
    } else {
        let state = one.state.as_str();
        print::error(&format!("error: `{id}` cannot be answered any more: it is {state}"));
    }
    Ok(ExitCode::from(u8::from(!counts)))
}

fn state(one: &Approval) -> String {
    match one.state {
        ApprovalState::Pending => {
            let left = one
                .asked
                .expires_at
                .duration_since(SystemTime::now())
                .unwrap_or_default()
                .as_secs();
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
        "form_sha256": one.asked.form_sha256,
        "created_at_ms": unix_ms(one.asked.created_at),
        "expires_at_ms": unix_ms(one.asked.expires_at),
        "decided_by": one.decided_by,
    })
}
