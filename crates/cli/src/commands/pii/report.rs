//! `tidegate pii report`: which types of personal data were seen, where they were
//! restored and how many values are stored. Never the values themselves.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};
use tidegate_gateway::admin::PrivacyReport;
use tidegate_model::visible_line;

use crate::print;

pub(super) fn show(report: &PrivacyReport, now: SystemTime, as_json: bool) {
    if as_json {
        print::json(&to_json(report));
        return;
    }
    let PrivacyReport { record, vault, sessions } = report;
    section(
        "Seen, by tool",
        record.seen.iter().map(|row| {
            let tool = visible_line(&format!("{}__{}", row.server, row.tool)).into_owned();
            format!("{tool:<40} {:<12} {:>8}", row.data_type.as_str(), row.count)
        }),
    );
    section(
        "Restored, by receiver",
        record.restores.iter().map(|row| {
            let to = visible_line(&row.towards.to_string()).into_owned();
            format!("{to:<40} {:<12} {:>8}", row.data_type.as_str(), row.count)
        }),
    );
    section(
        "In the vault, by type",
        vault.types.iter().map(|(data_type, values, restores)| {
            format!("{:<12} {values:>8} values, restored {restores} times", data_type.as_str())
        }),
    );
    section(
        "Sessions, newest first",
        sessions.iter().map(|session| {
            let name = visible_line(&session.name).into_owned();
            format!(
                "{name:<40} {:>8} values, expires in {}",
                session.values,
                time_left(session.expires_at, now)
            )
        }),
    );
    section(
        "Alerts, newest first",
        record.alerts.iter().map(|alert| {
            format!("run {}  {}: {}", alert.run_id, alert.kind, visible_line(&alert.detail))
        }),
    );
}

fn section(title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    print::line(title);
    if lines.is_empty() {
        print::line("  none");
    }
    for line in lines {
        print::line(format!("  {line}"));
    }
}

fn to_json(report: &PrivacyReport) -> Value {
    let PrivacyReport { record, vault, sessions } = report;
    let seen: Vec<Value> = record
        .seen
        .iter()
        .map(|row| {
            json!({
                "server": row.server,
                "tool": row.tool,
                "type": row.data_type,
                "count": row.count,
                "last_seen_ms": millis(row.last_seen),
            })
        })
        .collect();
    let restores: Vec<Value> = record
        .restores
        .iter()
        .map(|row| {
            json!({
                "towards": row.towards.to_string(),
                "type": row.data_type,
                "count": row.count,
            })
        })
        .collect();
    let vault: BTreeMap<&str, Value> = vault
        .types
        .iter()
        .map(|(data_type, values, restores)| {
            (data_type.as_str(), json!({"values": values, "restores": restores}))
        })
        .collect();
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|session| {
            json!({
                "name": session.name,
                "values": session.values,
                "expires_at_ms": millis(session.expires_at),
            })
        })
        .collect();
    let alerts: Vec<Value> = record
        .alerts
        .iter()
        .map(|alert| {
            json!({
                "at_ms": millis(alert.at),
                "run_id": alert.run_id,
                "kind": alert.kind,
                "detail": alert.detail,
            })
        })
        .collect();
    json!({
        "seen": seen,
        "restores": restores,
        "vault": vault,
        "sessions": sessions,
        "alerts": alerts,
    })
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn time_left(until: SystemTime, now: SystemTime) -> String {
    let minutes = until.duration_since(now).unwrap_or_default().as_secs() / 60;
    if minutes < 120 { format!("{minutes} minutes") } else { format!("{} hours", minutes / 60) }
}
