//! The demo's CRM: 1,000 leads that can be listed, searched and changed.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

use super::leads::{Lead, Status, leads};
use super::page::Window;
use super::server::{Demo, Refusal, Reply, read, to_json};

/// Leads per page.
const LARGEST_PAGE: usize = 200;

/// Maximum number of matches of a search.
const MAX_MATCHES: usize = 50;

/// Lists show the beginning of a note, so that one long note does not swell
/// every list. In characters.
const NOTE_PREVIEW: usize = 160;

pub(crate) struct Crm {
    /// Created by the first call that needs it; a handshake and a tool list do not.
    leads: LazyLock<Mutex<Vec<Lead>>>,
}

impl Crm {
    pub(crate) fn new() -> Self {
        Self { leads: LazyLock::new(|| Mutex::new(leads())) }
    }

    fn leads(&self) -> MutexGuard<'_, Vec<Lead>> {
        // No code panics while it holds the lock, so the data is whole.
        self.leads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Demo for Crm {
    const NAME: &'static str = "tidegate-demo-crm";
    const INSTRUCTIONS: &'static str =
        "Sales leads of a small company. Values are in euro cents, times in UTC.";
    const TOOLS: &'static str = include_str!("tools/crm.json");

    fn call(&self, tool: &str, arguments: JsonObject) -> Result<Reply, Refusal> {
        match tool {
            "list_leads" => self.list(&read(arguments)?),
            "get_lead" => self.get(&read(arguments)?),
            "update_lead" => self.update(read(arguments)?),
            "create_note" => self.create_note(read(arguments)?),
            "search_leads" => self.search(&read(arguments)?),
            _ => Err(Refusal::UnknownTool),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    status: Option<Status>,
    limit: Option<usize>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    id: String,
    fields: Fields,
}

/// What may be changed. The id, the company and the history may not.
#[derive(Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    status: Option<Status>,
    value_cents: Option<u64>,
    owner: Option<String>,
    last_contact: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CreateNote {
    lead_id: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
}

impl Crm {
    fn list(&self, request: &List) -> Result<Reply, Refusal> {
        let window = Window::new(request.cursor.as_deref(), request.limit, LARGEST_PAGE)?;
        let leads = self.leads();
        let matching =
            leads.iter().filter(|lead| request.status.is_none_or(|status| lead.status == status));
        let page = window.cut(matching, Lead::number);
        let rows: Vec<Value> = page.items.into_iter().map(preview).collect();
        let mut answer = json!({"leads": rows});
        if let Some(cursor) = page.next_cursor {
            answer["next_cursor"] = Value::String(cursor);
        }
        Ok(Reply::json(answer))
    }

    fn get(&self, request: &Get) -> Result<Reply, Refusal> {
        let mut leads = self.leads();
        find(&mut leads, &request.id).map(|lead| Reply::json(to_json(lead)))
    }

    fn update(&self, request: Update) -> Result<Reply, Refusal> {
        if request.fields == Fields::default() {
            return Err(Refusal::failed("`fields` must name at least one field to change"));
        }
        let mut leads = self.leads();
        let lead = find(&mut leads, &request.id)?;
        let Fields { name, email, phone, status, value_cents, owner, last_contact } =
            request.fields;
        let before = lead.clone();
        set(&mut lead.name, name);
        set(&mut lead.email, email);
        set(&mut lead.phone, phone);
        set(&mut lead.status, status);
        set(&mut lead.value_cents, value_cents);
        set(&mut lead.owner, owner);
        set(&mut lead.last_contact, last_contact.map(Some));
        Ok(Reply::json(json!({"changed": before != *lead, "lead": preview(lead)})))
    }

    fn create_note(&self, request: CreateNote) -> Result<Reply, Refusal> {
        if request.text.trim().is_empty() {
            return Err(Refusal::failed("`text` must not be empty"));
        }
        let mut leads = self.leads();
        let lead = find(&mut leads, &request.lead_id)?;
        let length = request.text.chars().count();
        lead.notes.push(request.text);
        let id = format!("N-{}-{}", lead.number(), lead.notes.len());
        // The text is not sent back: the caller has it.
        Ok(Reply::json(json!({"id": id, "lead_id": lead.id, "length": length})))
    }

    fn search(&self, request: &Search) -> Result<Reply, Refusal> {
        let wanted = request.query.trim().to_lowercase();
        if wanted.is_empty() {
            return Err(Refusal::failed("`query` must not be empty"));
        }
        let leads = self.leads();
        let mut found: Vec<&Lead> = leads
            .iter()
            .filter(|lead| {
                [&lead.name, &lead.company, &lead.email, &lead.domain]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&wanted))
            })
            .take(MAX_MATCHES + 1)
            .collect();
        let truncated = found.len() > MAX_MATCHES;
        found.truncate(MAX_MATCHES);
        let rows: Vec<Value> = found.into_iter().map(preview).collect();
        Ok(Reply::json(json!({"leads": rows, "truncated": truncated})))
    }
}

fn find<'a>(leads: &'a mut [Lead], id: &str) -> Result<&'a mut Lead, Refusal> {
    leads.iter_mut().find(|lead| lead.id == id).ok_or_else(|| {
        Refusal::failed(format!(
            "Lead not found: `{id}`. Ids look like `L-0042`; use `search_leads` to find one."
        ))
    })
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

/// A lead as lists show it.
fn preview(lead: &Lead) -> Value {
    let mut lead = lead.clone();
    for note in &mut lead.notes {
        if let Some((end, _)) = note.char_indices().nth(NOTE_PREVIEW) {
            note.truncate(end);
            note.push('…');
        }
    }
    to_json(&lead)
}

#[cfg(test)]
mod tests;
