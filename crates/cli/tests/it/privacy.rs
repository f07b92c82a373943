//! Personal data from tools to the model: the model gets tokens, only tools get real
//! values.
//!
//! The canary: every value that passed through is searched for in everything that a client
//! got, in the whole log and in every file of the state folder except stored outputs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Bench, Equipment, Served, text};

const COUNT: usize = 1000;

/// People made by a generator of names, with all the data of a contact.
struct Contact {
    name: String,
    email: String,
    phone: String,
    company: String,
}

fn contacts(seed: usize) -> Vec<Contact> {
    const FIRST: [&str; 20] = [
        "Katharina",
        "Siobhan",
        "José",
        "Wei",
        "Oluwaseun",
        "Ingrid",
        "Mateusz",
        "Fatima",
        "Giovanni",
        "Priya",
        "Dmitri",
        "Amélie",
        "Hiroshi",
        "Zanele",
        "Lars",
        "Chiara",
        "Rajesh",
        "Beatriz",
        "Tomasz",
        "Yasmin",
    ];
    const LAST: [&str; 25] = [
        "Oberhofer",
        "O'Sullivan",
        "Villanueva",
        "Zhang",
        "Adeyemi",
        "Lindqvist",
        "Wiśniewski",
        "Benali",
        "Marchetti",
        "Raghunathan",
        "Sokolov",
        "Beauchamp",
        "Tanaka",
        "Mokoena",
        "Halvorsen",
        "Castellani",
        "Krishnamurthy",
        "Figueiredo",
        "Kaczmarek",
        "Haddad",
        "Vandenberghe",
        "Papadopoulos",
        "Szabo",
        "Eriksson",
        "Delacroix",
    ];
    const COMPANY: [&str; 4] = ["GmbH", "Ltd", "Inc", "S.A."];
    (0..COUNT)
        .map(|number| {
            let (first, last) = (FIRST[number % 20], LAST[(number / 20 + seed) % 25]);
            let plain: String = format!("{first}.{last}")
                .chars()
                .filter(|char| char.is_ascii_alphabetic() || *char == '.')
                .collect();
            Contact {
                name: format!("{first} {last}"),
                email: format!("{}{number}@mail{seed}.example", plain.to_lowercase()),
                phone: format!("+49 30 {}{number:04}", 5550 + seed),
                company: format!("{last} & {first} {}", COMPANY[number % 4]),
            }
        })
        .collect()
}

fn csv(contacts: &[Contact]) -> String {
    let mut csv = String::from("name,email,phone,company\n");
    for Contact { name, email, phone, company } in contacts {
        csv.push_str(&format!("{name},{email},{phone},{company}\n"));
    }
    csv
}

/// A drive (the real file server) with contacts, and the CRM of the demo.
struct Site {
    bench: Bench,
    drive: PathBuf,
    contacts: Vec<Contact>,
}

impl Site {
    fn new(test: &str, more: &str) -> Option<Self> {
        let equipment = Equipment::get(test, &["filesystem"])?;
        let bench = Bench::new().asks_nobody();
        let drive = bench.path().join("drive");
        fs::create_dir(&drive).unwrap();
        let contacts = contacts(1);
        fs::write(drive.join("contacts.csv"), csv(&contacts)).unwrap();
        let server = equipment.server("filesystem", &[drive.to_str().unwrap()]);
        let own = env!("CARGO_BIN_EXE_tidegate");
        let config = format!(
            "[servers.drive]\ncommand = {}\nargs = {}\n\
             [servers.crm]\ncommand = {own:?}\nargs = ['demo-server', 'crm']\n{more}",
            server["command"], server["args"]
        );
        bench.write("tidegate.toml", &config);
        Some(Self { bench, drive, contacts })
    }

    fn log(&self, name: &str) -> PathBuf {
        self.bench.path().join(name)
    }

    /// Serves at the most verbose log level.
    fn serve(&self, log: &str) -> Served {
        let log = File::create(self.log(log)).unwrap();
        let mut command = self.bench.tidegate();
        command.args(["-vvv", "serve"]);
        Served::start_with_log(&mut command, Stdio::from(log))
    }

    fn program(&self, source: &str) -> String {
        source.replace("DRIVE", self.drive.to_str().unwrap())
    }

    /// The file that the program wrote to the drive.
    fn written(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.drive.join(name)).unwrap()).unwrap()
    }

    /// Searches everything that left the gateway for values that must not leave.
    fn assert_no_canary(&self, served: &[&Served], logs: &[&str]) {
        let mut places: Vec<(String, String)> = Vec::new();
        for (number, served) in served.iter().enumerate() {
            places.push((format!("client {number}"), served.transcript.clone()));
        }
        for log in logs {
            let content = fs::read(self.log(log)).unwrap();
            assert!(!content.is_empty(), "the log says nothing");
            places.push(((*log).to_owned(), text(&content)));
        }
        for (path, bytes) in files(&self.bench.state_dir()) {
            places.push((path, text(&bytes)));
        }
        for (place, content) in places {
            let content = content.to_lowercase();
            for contact in &self.contacts {
                let digits: String = contact.phone.chars().filter(char::is_ascii_digit).collect();
                for value in
                    [&contact.name, &contact.email, &contact.phone, &contact.company, &digits]
                {
                    assert!(!content.contains(&value.to_lowercase()), "{value} is in {place}");
                }
            }
        }
    }
}

/// All files below a folder, except the outputs stored for programs.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "outputs") {
                found.extend(files(&path));
            }
        } else if let Ok(bytes) = fs::read(&path) {
            found.push((path.display().to_string(), bytes));
        }
    }
    found
}

const IMPORT: &str = r#"
import * as drive from './servers/drive';
import * as crm from './servers/crm';
const file = await drive.readTextFile({ path: 'DRIVE/contacts.csv' });
const text = typeof file === 'string' ? file : file.content;
const rows = text.trim().split('\n').slice(1).map(line => {
  const [name, email, phone, company] = line.split(',');
  return { name, email, phone, company };
});
await Promise.all(rows.map((row, index) => crm.updateLead({
  id: 'L-' + String(index + 1).padStart(4, '0'),
  fields: { name: row.name, email: row.email, phone: row.phone },
})));
const arrived = [];
let cursor;
do {
  const page = await crm.listLeads(cursor ? { cursor } : {});
  arrived.push(...page.leads.map(lead => ({ name: lead.name, email: lead.email, phone: lead.phone })));
  cursor = page.next_cursor;
} while (cursor);
await drive.writeFile({ path: 'DRIVE/arrived.json', content: JSON.stringify(arrived) });
console.log('first:', rows[0].name, rows[0].email, '| upper:', rows[1].email.toUpperCase());
console.log(JSON.stringify(rows.slice(0, 3)));
console.log(encodeURIComponent(rows[4].email), rows[5].phone.replace(/\D/g, ''));
return { imported: rows.length, sample: rows.slice(0, 5), note: `${rows[7].company} was last` };
"#;

fn assert_arrived(site: &Site) {
    let arrived = site.written("arrived.json");
    assert_eq!(arrived.as_array().unwrap().len(), COUNT);
    for (lead, contact) in arrived.as_array().unwrap().iter().zip(&site.contacts) {
        assert_eq!(lead["name"], contact.name);
        assert_eq!(lead["email"], contact.email);
        assert_eq!(lead["phone"], contact.phone);
    }
}

#[test]
fn g34_a_thousand_contacts_arrive_and_the_model_sees_tokens_only() {
    let Some(site) = Site::new("g34_a_thousand_contacts", "") else { return };
    let mut served = site.serve("log");
    let answer = served.execute(&site.program(IMPORT));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    assert_eq!(answer["output"]["imported"], COUNT);
    assert_eq!(answer["pii_tokenized"], true);
    assert!(answer["pii_counts"]["EMAIL"].as_u64() > Some(5), "{answer}");
    let sample = &answer["output"]["sample"][0];
    for (key, token) in
        [("name", "[NAME_"), ("email", "[EMAIL_"), ("phone", "[PHONE_"), ("company", "[COMPANY_")]
    {
        assert!(sample[key].as_str().unwrap().starts_with(token), "{answer}");
    }
    assert_arrived(&site);
    // A large output is stored, and its summary has no values either.
    let large = "import * as drive from './servers/drive';\n\
                 return await drive.readTextFile({ path: 'DRIVE/contacts.csv' });";
    let answer = served.execute(&site.program(large));
    assert!(answer["handle"].is_string(), "{answer}");
    let report = site.bench.command(&["pii", "report", "--json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let seen = report["seen"].as_array().unwrap();
    assert!(
        seen.iter().any(|row| row["tool"] == "read_text_file" && row["type"] == "EMAIL"),
        "{report}"
    );
    site.assert_no_canary(&[&served], &["log"]);
}

#[test]
fn g34_the_same_in_python() {
    let Some(site) = Site::new("g34_the_same_in_python", "") else { return };
    let mut served = site.serve("log");
    let code = site.program(
        r#"
import json
from servers import drive, crm
file = drive.read_text_file(path='DRIVE/contacts.csv')
text = file if isinstance(file, str) else file['content']
rows = [dict(zip(('name', 'email', 'phone', 'company'), line.split(','))) for line in text.strip().split('\n')[1:]]
for index, row in enumerate(rows):
    crm.update_lead(id=f'L-{index + 1:04}', fields={key: row[key] for key in ('name', 'email', 'phone')})
arrived, cursor = [], None
while True:
    page = crm.list_leads(cursor=cursor) if cursor else crm.list_leads()
    arrived += [{key: lead[key] for key in ('name', 'email', 'phone')} for lead in page['leads']]
    cursor = page.get('next_cursor')
    if not cursor:
        break
drive.write_file(path='DRIVE/arrived.json', content=json.dumps(arrived))
print(rows[0], rows[1]['email'].upper())
result = {'imported': len(rows), 'sample': rows[:5]}
"#,
    );
    let answer = served.execute_with(json!({"code": code, "language": "python"}));
    assert_eq!(answer["output"]["imported"], COUNT, "{answer}");
    assert_eq!(answer["pii_tokenized"], true);
    assert_arrived(&site);
    let failing = site.program(
        "from servers import drive\n\
         file = drive.read_text_file(path='DRIVE/contacts.csv')\n\
         text = file if isinstance(file, str) else file['content']\n\
         raise ValueError('no such person: ' + text.split('\\n')[3])",
    );
    let answer = served.execute_with(json!({"code": failing, "language": "python"}));
    assert_eq!(answer["error"]["code"], "program.threw", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("[EMAIL_"), "{answer}");
    site.assert_no_canary(&[&served], &["log"]);
}

#[test]
fn g34_errors_carry_tokens_too() {
    let Some(site) = Site::new("g34_errors_carry_tokens_too", "") else { return };
    let mut served = site.serve("log");
    let read = "import * as drive from './servers/drive';\nimport * as crm from './servers/crm';\n\
                const file = await drive.readTextFile({ path: 'DRIVE/contacts.csv' });\n\
                const text = typeof file === 'string' ? file : file.content;\n\
                const rows = text.trim().split('\\n').slice(1).map(line => line.split(','));\n";
    for (what, rest) in [
        ("thrown", "throw new Error(`cannot import ${rows[0][0]} <${rows[0][1]}>`)"),
        ("many", "throw new Error('bad rows: ' + rows.map(row => row[1]).join(' '))"),
        ("joined", "throw new Error('bad rows:' + rows.map(row => row[1]).join(','))"),
        ("refused", "return await crm.getLead({ id: rows[2][1] })"),
        (
            "caught",
            "try { await crm.getLead({ id: rows[2][1] }) } catch (e) { return `${e.message} (${e.code})` }",
        ),
        ("argument", "return await crm.updateLead({ id: 7, fields: rows[3][0] })"),
        ("unknown", "return await callMCPTool(rows[4][1], {})"),
        ("key", "return { [rows[5][1]]: 1, [rows[6][0]]: 2 }"),
        ("rejected", "return await Promise.reject({ email: rows[7][1], name: rows[7][0] })"),
        (
            "stack",
            "function f(x) { throw new TypeError(x.name + ' of ' + x.company) } f({ name: rows[8][0], company: rows[8][3] })",
        ),
    ] {
        let answer = served.execute(&site.program(&format!("{read}{rest}")));
        let told = answer.to_string();
        assert!(told.contains("[EMAIL_") || told.contains("[NAME_"), "{what}: {answer}");
        assert_eq!(answer["pii_tokenized"], true, "{what}: {answer}");
    }
    site.assert_no_canary(&[&served], &["log"]);
}

#[test]
fn a_long_error_is_not_cut_in_the_middle_of_a_value() {
    let Some(site) = Site::new("a_long_error_is_not_cut_in_the_middle_of_a_value", "") else {
        return;
    };
    let mut served = site.serve("log");
    fs::write(site.drive.join("one.json"), r#"{"email":"rosalind@mailbox.example"}"#).unwrap();
    let read = "import * as drive from './servers/drive';\n\
                const file = await drive.readTextFile({ path: 'DRIVE/one.json' });\n\
                const text = typeof file === 'string' ? file : file.content;\n\
                const { email } = JSON.parse(text);\n";
    for rest in [
        "throw new Error('w '.repeat(992) + email + ' w'.repeat(999))",
        "throw 'w '.repeat(992) + email + ' w'.repeat(999)",
        "throw new Error(JSON.stringify(['w'.repeat(1980), email, 'w'.repeat(999)]))",
    ] {
        let answer = served.execute(&site.program(&format!("{read}{rest}")));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(" characters in all)"), "{rest}: {answer}");
        assert!(!message.contains("rosa"), "{rest}: {answer}");
    }
}

#[test]
fn the_loudest_log_has_no_raw_answers() {
    let Some(site) = Site::new("the_loudest_log_has_no_raw_answers", "") else { return };
    // A name that is recognised only by its key.
    fs::write(site.drive.join("one.json"), r#"{"full_name":"qixlat mroop"}"#).unwrap();
    for (log, level) in [("trace", "trace"), ("rmcp", "rmcp=trace,rmcp::service=trace")] {
        let mut command = site.bench.tidegate();
        command.arg("serve").env("RUST_LOG", level);
        let file = File::create(site.log(log)).unwrap();
        let mut served = Served::start_with_log(&mut command, Stdio::from(file));
        let path = site.drive.join("one.json");
        let arguments = json!({"name": "drive__read_text_file", "arguments": {"path": path}});
        let (is_error, told) = served.call("call_tool", arguments);
        assert!(!is_error && told.contains("[NAME_"), "{told}");
        drop(served);
        let printed = fs::read_to_string(site.log(log)).unwrap();
        assert!(printed.contains("DEBUG") && printed.contains("rmcp"), "{printed}");
        assert!(!printed.contains("qixlat"), "{log}: {printed}");
    }
}

#[test]
fn g35_no_token_of_one_session_is_restored_in_another() {
    let Some(site) = Site::new("g35_no_token_of_one_session", "") else { return };
    let (mut first, mut second) = (site.serve("log1"), site.serve("log2"));
    let show = |row: usize| {
        site.program(&format!(
            "import * as drive from './servers/drive';\n\
             const file = await drive.readTextFile({{ path: 'DRIVE/contacts.csv' }});\n\
             const text = typeof file === 'string' ? file : file.content;\n\
             return text.split('\\n')[{row}].split(',')[1];"
        ))
    };
    let write = |name: &str, value: &str| {
        site.program(&format!(
            "import * as drive from './servers/drive';\n\
             return await drive.writeFile({{ path: 'DRIVE/{name}', content: JSON.stringify('{value}') }})"
        ))
    };
    let token = first.execute(&show(1))["output"].as_str().unwrap().to_owned();
    assert_eq!(token, "[EMAIL_1]");
    // The other session does not have the token yet.
    let answer = second.execute(&write("second.json", &token));
    assert_eq!(answer["error"]["code"], "privacy.unknown_token", "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`[EMAIL_1]`"), "{answer}");
    assert!(!site.drive.join("second.json").exists());
    let (is_error, told) = second.call(
        "call_tool",
        json!({"name": "drive__write_file", "arguments": {"path": site.drive.join("x"), "content": token}}),
    );
    assert!(is_error && told.contains("privacy.unknown_token"), "{told}");
    // Then each session has its own; a token that was used here but belongs to the other
    // one is assigned to nobody.
    let other = second.execute(&show(2))["output"].as_str().unwrap().to_owned();
    assert_eq!(other, "[EMAIL_2]");
    for (served, name, token) in
        [(&mut first, "first.json", &token), (&mut second, "second.json", &other)]
    {
        let answer = served.execute(&write(name, token));
        assert_eq!(answer["error"], Value::Null, "{answer}");
    }
    let answer = second.execute(&write("third.json", &token));
    assert_eq!(answer["error"]["code"], "privacy.unknown_token", "{answer}");
    assert_eq!(site.written("first.json"), site.contacts[0].email);
    assert_eq!(site.written("second.json"), site.contacts[1].email);
    site.assert_no_canary(&[&first, &second], &["log1", "log2"]);
}

#[test]
fn g44_a_token_is_never_restored_outside_of_its_session() {
    let Some(site) = Site::new("g44_a_token_is_never_restored", "") else { return };
    let (mut first, mut second) = (site.serve("log1"), site.serve("log2"));
    let row = |row: usize| {
        site.program(&format!(
            "import * as drive from './servers/drive';\n\
             const file = await drive.readTextFile({{ path: 'DRIVE/contacts.csv' }});\n\
             const text = typeof file === 'string' ? file : file.content;\n\
             return text.split('\\n')[{row}].split(',')[1];"
        ))
    };
    let write = |name: &str, value: &str| {
        site.program(&format!(
            "import * as drive from './servers/drive';\n\
             return await drive.writeFile({{ path: 'DRIVE/{name}', content: '{value}' }})"
        ))
    };
    let old = first.execute(&row(1))["output"].as_str().unwrap().to_owned();
    let own = second.execute(&row(2))["output"].as_str().unwrap().to_owned();
    assert_ne!(old, own);
    // A program, a call and a question of the first session, copied to the second.
    let answer = second.execute(&write("copied.txt", &old));
    assert_eq!(answer["error"]["code"], "privacy.unknown_token", "{answer}");
    let path = site.drive.join("copied.txt");
    let arguments =
        json!({"name": "drive__write_file", "arguments": {"path": path, "content": old}});
    let (is_error, told) = second.call("call_tool", arguments);
    assert!(is_error && told.contains("privacy.unknown_token"), "{told}");
    let (is_error, told) = second.call("restore_pii", json!({"text": old}));
    assert!(is_error && told.contains("privacy.unknown_token"), "{told}");
    assert!(!path.exists());
    // A skill keeps no token, however it is saved.
    let code = write("skill.txt", &old);
    let skill = json!({"name": "send-it", "code": code, "description": "Sends it"});
    let (is_error, told) = first.call("save_skill", skill);
    assert!(is_error && told.contains("privacy.not_allowed") && told.contains(&old), "{told}");
    let save = format!("return await saveSkill('send-it', {}, 'Sends it')", json!(code));
    let answer = first.execute(&save);
    assert_eq!(answer["error"]["code"], "privacy.not_allowed", "{answer}");
    let saved = site.program(
        "import * as drive from './servers/drive';\n\
         const file = await drive.readTextFile({ path: 'DRIVE/contacts.csv' });\n\
         const text = typeof file === 'string' ? file : file.content;\n\
         return await saveSkill('send-it', `send('${text.split('\\n')[1].split(',')[1]}')`, 'Sends it')",
    );
    let answer = first.execute(&saved);
    assert_eq!(answer["error"]["code"], "privacy.not_allowed", "{answer}");
    // Nor is one used that was saved by an earlier version, or copied there.
    let folder = site.bench.state_dir().join("skills/old-one");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("SKILL.md"), "---\nname: old-one\ndescription: Old\n---\n").unwrap();
    fs::write(folder.join("skill.ts"), &code).unwrap();
    for load in ["loadSkill('old-one')", "fs.promises.readFile('./skills/old-one/skill.ts')"] {
        let answer = second.execute(&format!("return await {load}"));
        assert_eq!(answer["error"]["code"], "privacy.not_allowed", "{load}: {answer}");
    }
    let (is_error, told) = second.call("load_skill", json!({"name": "old-one"}));
    assert!(is_error && told.contains(&old), "{told}");
    // A file with tokens is data: nothing in it is restored.
    fs::write(site.drive.join("old.txt"), format!("write to {old} and {own}")).unwrap();
    let answer = second.execute(&site.program(
        "import * as drive from './servers/drive';\n\
         const file = await drive.readTextFile({ path: 'DRIVE/old.txt' });\n\
         const content = typeof file === 'string' ? file : file.content;\n\
         return await drive.writeFile({ path: 'DRIVE/new.txt', content })",
    ));
    assert_eq!(answer["error"], Value::Null, "{answer}");
    let new = fs::read_to_string(site.drive.join("new.txt")).unwrap();
    assert_eq!(new, format!("write to {old} and {own}"));
    site.assert_no_canary(&[&first, &second], &["log1", "log2"]);
}

#[test]
fn g44_the_command_line_restores_the_values_that_a_text_was_made_from() {
    let bench = Bench::new();
    let tokenize = |name: &str, letter: &str| {
        let file = bench.write(name, letter);
        let done = bench.command(&["pii", "tokenize", file.to_str().unwrap()]);
        bench.write(&format!("{name}.tokens"), &text(&done.stdout))
    };
    let letters = ["to ann.lee@example.org\n", "to bob@example.org\n"];
    let older = tokenize("older", letters[0]);
    let newer = tokenize("newer", letters[1]);
    for (file, letter) in [(&older, letters[0]), (&newer, letters[1])] {
        let back = bench.as_person(&["pii", "restore", file.to_str().unwrap()]);
        assert_eq!(text(&back.stdout), letter, "{}", text(&back.stderr));
    }
    // What nobody knows any more is refused, not replaced by somebody else's value.
    let value = bench.write("value", "ann.lee@example.org");
    bench.as_person(&["pii", "erase", "--value", value.to_str().unwrap()]);
    let gone = bench.as_person(&["pii", "restore", older.to_str().unwrap()]);
    assert_eq!((gone.status.code(), text(&gone.stdout)), (Some(1), String::new()));
    let told = text(&gone.stderr);
    assert!(told.contains("`[EMAIL_1]` is unknown in every stored session"), "{told}");
    let again = tokenize("again", letters[0]);
    assert_eq!(fs::read_to_string(again).unwrap(), "to [EMAIL_3]\n");
}

#[test]
fn g45_files_are_written_back_byte_for_byte_and_opened_by_their_listed_names() {
    let Some(site) = Site::new("g45_files_are_written_back", "") else { return };
    let mut served = site.serve("log");
    let contact = &site.contacts[0];
    let (name, email, phone) = (&contact.name, &contact.email, &contact.phone);
    let file = format!("notes-{}.md", name.replace(' ', "-"));
    let upper = email.to_uppercase();
    let compact = phone.replace(' ', "");
    let encoded = email.replace('@', "%40");
    let content = format!(
        "{name} <{email}>, {upper}, {phone}, {compact}\r\n\
         https://x.org/?q={encoded}&n={}#{}\n{{\"a\": \"{}\"}}\n",
        name.replace(' ', "+"),
        name.to_lowercase(),
        email.replace('@', "\\u0040"),
    );
    fs::write(site.drive.join(&file), &content).unwrap();
    // The values are known for certain: they are in a table.
    let read = |path: &Path| json!({"name": "drive__read_text_file", "arguments": {"path": path}});
    served.call("call_tool", read(&site.drive.join("contacts.csv")));
    let list = json!({"name": "drive__list_directory", "arguments": {"path": site.drive}});
    let (_, listed) = served.call("call_tool", list);
    let (_, found) = listed.split_once("notes-").unwrap();
    let shown = format!("notes-{}.md", found.split_once(".md").unwrap().0);
    let (is_error, told) = served.call("call_tool", read(&site.drive.join(&shown)));
    assert!(!is_error, "{shown}: {told}");
    let answer = served.execute(
        &site
            .program(
                "import * as drive from './servers/drive';\n\
         const file = await drive.readTextFile({ path: 'DRIVE/FILE' });\n\
         return typeof file === 'string' ? file : file.content;",
            )
            .replace("FILE", &shown),
    );
    let shown = answer["output"].as_str().unwrap_or_else(|| panic!("{answer}"));
    for value in [name, email, phone, &upper, &compact, &encoded] {
        assert!(!shown.contains(value.as_str()), "{value} in {shown}");
    }
    let path = site.drive.join("copy.md");
    let write = json!({"name": "drive__write_file", "arguments": {"path": path, "content": shown}});
    let (is_error, told) = served.call("call_tool", write);
    assert!(!is_error, "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), content);
    site.assert_no_canary(&[&served], &["log"]);
}

#[test]
fn a_server_gets_only_the_types_that_it_may_receive() {
    let more = "[privacy]\nreceive = { crm = ['PERSON'] }\n";
    let Some(site) = Site::new("a_server_gets_only_the_types", more) else { return };
    let mut served = site.serve("log");
    let (_, made) = served.call("sanitize_pii", json!({"text": "ann.lee@example.org"}));
    let made: Value = serde_json::from_str(&made).unwrap();
    assert_eq!(
        made,
        json!({"text": "[EMAIL_1]", "pii_tokenized": true, "pii_counts": {"EMAIL": 1}})
    );
    let call = |tool: &str, key: &str| json!({"name": tool, "arguments": {key: "[EMAIL_1]"}});
    let (is_error, told) = served.call("call_tool", call("crm__search_leads", "query"));
    assert!(is_error && told.contains("privacy.not_allowed"), "{told}");
    assert!(told.contains("privacy.receive.crm"), "{told}");
    let (_, told) = served.call("call_tool", call("drive__read_text_file", "path"));
    assert!(!told.contains("privacy."), "{told}");
    assert!(!served.transcript.contains("ann.lee"), "{}", served.transcript);
}

#[test]
fn direct_calls_answer_with_tokens_and_take_them_back() {
    let Some(site) = Site::new("direct_calls_answer_with_tokens", "") else { return };
    for surface in ["standard", "direct"] {
        let mut served = Served::start(site.bench.tidegate().args(["serve", "--surface", surface]));
        let mut call = |tool: &str, arguments: Value| {
            let params = match surface {
                "direct" => json!({"name": tool, "arguments": arguments}),
                _ => {
                    json!({"name": "call_tool", "arguments": {"name": tool, "arguments": arguments}})
                }
            };
            served.request("tools/call", params)["result"].clone()
        };
        let lead = call("crm__get_lead", json!({"id": "L-0001"}));
        let shown: Value =
            serde_json::from_str(lead["content"][0]["text"].as_str().unwrap()).unwrap();
        assert!(shown["email"].as_str().unwrap().starts_with("[EMAIL_"), "{shown}");
        assert!(shown["name"].as_str().unwrap().starts_with("[NAME_"), "{shown}");
        assert!(lead["_meta"]["tidegate/pii_counts"]["EMAIL"].as_u64() > Some(0), "{lead}");
        // The token as an argument finds the lead again.
        let found = call("crm__search_leads", json!({"query": shown["email"]}));
        let found: Value =
            serde_json::from_str(found["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(found["leads"][0]["id"], "L-0001", "{found}");
    }
}

#[test]
fn in_strict_mode_a_program_sees_tokens_and_can_still_group_and_write() {
    let Some(site) = Site::new("in_strict_mode", "[privacy]\nmode = 'strict'\n") else { return };
    let mut served = site.serve("log");
    let program = site.program(
        "import * as drive from './servers/drive';\nimport * as crm from './servers/crm';\n\
         const { leads } = await crm.listLeads({ limit: 50 });\n\
         const tokens = leads.map(lead => lead.email);\n\
         const domains = await pii.domain(tokens);\n\
         const same = await pii.equals(tokens[0], tokens[0]);\n\
         const other = await pii.equals(tokens[0], tokens[1]);\n\
         await drive.writeFile({ path: 'DRIVE/mails.json', content: JSON.stringify(tokens) });\n\
         return { all: tokens.every(token => /^\\[EMAIL_\\d+\\]$/.test(token)), same, other,\n\
                  domains: new Set(domains).size, mask: await pii.mask(tokens[0]), length: tokens[0].length }",
    );
    let answer = served.execute(&program);
    assert_eq!(answer["error"], Value::Null, "{answer}");
    let output = &answer["output"];
    assert_eq!(
        (&output["all"], &output["same"], &output["other"]),
        (&json!(true), &json!(true), &json!(false))
    );
    assert!(output["domains"].as_u64() > Some(5), "{answer}");
    assert!(output["mask"].as_str().unwrap().contains("***@"), "{answer}");
    // The file has the real values.
    let mails = site.written("mails.json");
    assert!(mails[0].as_str().unwrap().contains(".example"), "{mails}");
    let python = site.program(
        "from servers import crm\n\
         tokens = [lead['email'] for lead in crm.list_leads(limit=20)['leads']]\n\
         result = {'all': all(token.startswith('[EMAIL_') for token in tokens), 'domains': len(set(pii.domain(tokens))),\n\
                   'same': pii.equals(tokens[0], tokens[0]), 'mask': pii.mask(tokens[0])}",
    );
    let answer = served.execute_with(json!({"code": python, "language": "python"}));
    assert_eq!(answer["output"]["all"], true, "{answer}");
    assert_eq!(answer["output"]["same"], true, "{answer}");
    assert!(answer["output"]["domains"].as_u64() > Some(3), "{answer}");
    let unknown = served.execute("return await pii.mask('[EMAIL_99999]')");
    assert_eq!(unknown["error"]["code"], "privacy.unknown_token", "{unknown}");
}

#[test]
fn a_comparison_with_a_token_is_warned_of_and_pii_equals_makes_it() {
    let Some(site) = Site::new("a_comparison_with_a_token", "") else { return };
    let mut served = site.serve("log");
    let lead = served.execute("return (await servers.crm.getLead({ id: 'L-0002' })).email");
    let token = lead["output"].as_str().unwrap_or_else(|| panic!("{lead}")).to_owned();
    let compared = served.execute(&format!(
        "const {{ leads }} = await servers.crm.listLeads({{ limit: 5 }});\n\
         return leads.filter((lead) => lead.email === '{token}').length"
    ));
    assert_eq!(compared["output"], 0, "{compared}");
    let warning = compared["warnings"][0].as_str().unwrap_or_else(|| panic!("{compared}"));
    assert!(warning.starts_with(&format!("line 2: a comparison with `{token}`")), "{warning}");
    let equal = served.execute(&format!(
        "const {{ leads }} = await servers.crm.listLeads({{ limit: 5 }});\n\
         const same = await Promise.all(leads.map((lead) => pii.equals(lead.email, '{token}')));\n\
         return leads.filter((lead, at) => same[at]).map((lead) => lead.id)"
    ));
    assert_eq!(equal["output"], json!(["L-0002"]), "{equal}");
    assert_eq!(equal["warnings"], Value::Null, "{equal}");
    let python = format!(
        "from servers import crm\nleads = crm.list_leads(limit=5)['leads']\n\
         result = [lead['id'] for lead in leads if pii.equals(lead['email'], '{token}')]"
    );
    let equal = served.execute_with(json!({"code": python, "language": "python"}));
    assert_eq!(equal["output"], json!(["L-0002"]), "{equal}");
}

#[test]
fn real_values_reach_the_model_only_after_a_person_said_yes() {
    let more = "[approvals]\nwait = '100ms'\n";
    let Some(site) = Site::new("real_values_reach_the_model", more) else { return };
    let mut served = site.serve("log");
    let text = "write to [EMAIL_1]";
    served.call("sanitize_pii", json!({"text": "ann.lee@example.org"}));
    let ask = json!({"text": text});
    let (is_error, told) = served.call("restore_pii", ask.clone());
    assert!(is_error && told.contains("approval.pending"), "{told}");
    assert!(!told.contains("ann.lee"), "{told}");
    let pending = site.bench.command(&["approvals", "list", "--json"]);
    let pending: Value = serde_json::from_slice(&pending.stdout).unwrap();
    let question = &pending["approvals"].as_array().or(pending.as_array()).unwrap()[0];
    let id = question["id"].as_str().unwrap().to_owned();
    assert!(!question.to_string().contains("ann.lee"), "{question}");
    assert!(site.bench.as_person(&["approvals", "approve", &id]).status.success());
    // An approval is for exactly this text, and for one use.
    let (is_error, told) = served.call("restore_pii", json!({"text": "write to [EMAIL_1]!"}));
    assert!(is_error && told.contains("approval.pending"), "{told}");
    assert_eq!(
        served.call("restore_pii", ask.clone()),
        (false, "write to ann.lee@example.org".to_owned())
    );
    let (is_error, told) = served.call("restore_pii", ask);
    assert!(is_error && told.contains("approval."), "{told}");
    let (_, told) = served.call("restore_pii", json!({"text": "nothing to restore"}));
    assert_eq!(told, "nothing to restore");
    let report = site.bench.command(&["pii", "report", "--json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["restores"], json!([{"towards": "model", "type": "EMAIL", "count": 1}]));
}

#[test]
fn the_text_of_a_restore_cannot_look_like_our_words() {
    let more = "[approvals]\nwait = '100ms'\n";
    let Some(site) = Site::new("the_text_of_a_restore", more) else { return };
    let mut served = site.serve("log");
    served.call("sanitize_pii", json!({"text": "ann.lee@example.org"}));
    let text = "to [EMAIL_1]\r\u{2028}Approval is required.\u{1b}[2J\u{202e}x\u{200b}";
    let text = format!("{text}\n{}\n{}", "y".repeat(5000), "z\n".repeat(30));
    let (is_error, told) = served.call("restore_pii", json!({"text": text}));
    assert!(is_error && told.contains("approval.pending"), "{told}");
    let asked = site.bench.command(&["approvals", "list", "--json"]);
    let asked: Value = serde_json::from_slice(&asked.stdout).unwrap();
    let id = asked["approvals"][0]["id"].as_str().unwrap();
    let shown = site.bench.command(&["approvals", "show", id, "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let details = shown["details"].as_str().unwrap();
    let marked: Vec<&str> = details.lines().filter(|line| line.starts_with("| ")).collect();
    let first = r"| to [EMAIL_1]\u{d}\u{2028}Approval is required.\u{1b}[2J\u{202e}x\u{200b}";
    assert_eq!((marked[0], marked[1], marked.len()), ("| [EMAIL_1]", first, 33), "{details}");
    assert!(details.lines().all(|line| line.chars().count() < 80), "{details}");
    assert_eq!(details.matches('y').count(), 5000, "{details}");
}

#[test]
fn ways_to_smuggle_a_value_out_are_as_documented() {
    let Some(site) = Site::new("ways_to_smuggle_a_value_out", "") else { return };
    let mut served = site.serve("log");
    let read = "import * as drive from './servers/drive';\n\
                const file = await drive.readTextFile({ path: 'DRIVE/contacts.csv' });\n\
                const text = typeof file === 'string' ? file : file.content;\n\
                const [name, email, phone] = text.split('\\n')[1].split(',');\n";
    let contact = &site.contacts[0];
    let base64 = |text: &str| {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(text)
    };
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    // Caught: the value in one of the encodings that are decoded.
    for (way, what) in [
        ("return email.toUpperCase()", contact.email.to_uppercase()),
        ("return 'x' + email + 'y'", contact.email.clone()),
        ("return encodeURIComponent(email)", contact.email.replace('@', "%40")),
        ("return JSON.stringify(JSON.stringify({ email }))", contact.email.clone()),
        ("return btoa(email)", base64(&contact.email)),
        (
            "return [...new TextEncoder().encode(email)].map(b => b.toString(16).padStart(2, '0')).join('')",
            hex(&contact.email),
        ),
        ("return phone.replace(/\\D/g, '')", contact.phone.replace(['+', ' '], "")),
        ("return phone.split(' ').join('-')", contact.phone.replace(' ', "-")),
    ] {
        let answer = served.execute(&site.program(&format!("{read}{way}")));
        assert!(!answer.to_string().contains(&what), "{way}: {answer}");
        assert_eq!(answer["pii_tokenized"], true, "{way}: {answer}");
    }
    // Not caught: documented, and reported by an alert if the disguise is simple.
    for (way, alerted) in [
        ("return [...name].reverse().join('')", true),
        ("return [...email].join(' ')", true),
        ("return [...email].map(c => String.fromCharCode(c.charCodeAt(0) + 1)).join('')", false),
        ("return btoa('to ' + email)", false),
        ("return [...Array(40).keys()]", false),
        ("return [...email].map(c => c.charCodeAt(0))", true),
        ("for (const c of email) console.log(c)", true),
        ("return [...email]", true),
    ] {
        let before = alerts(&site);
        let answer = served.execute(&site.program(&format!("{read}{way}")));
        assert_eq!(answer["error"], Value::Null, "{way}: {answer}");
        assert_eq!(alerts(&site) > before, alerted, "{way}");
    }
}

fn alerts(site: &Site) -> usize {
    let report = site.bench.command(&["pii", "report", "--json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    report["alerts"].as_array().unwrap().len()
}

#[test]
fn texts_go_to_tokens_and_back_on_the_command_line() {
    let bench = Bench::new();
    let file = bench.write("letter.txt", "Dear Ann Lee,\nwrite to ann.lee@example.org\n");
    let path = file.to_str().unwrap();
    let done = bench.command(&["pii", "tokenize", path]);
    assert_eq!(text(&done.stdout), "Dear [NAME_1],\nwrite to [EMAIL_1]\n");
    let tokens = bench.write("tokens.txt", &text(&done.stdout));
    let back = bench.as_person(&["pii", "restore", tokens.to_str().unwrap()]);
    assert_eq!(text(&back.stdout), "Dear Ann Lee,\nwrite to ann.lee@example.org\n");
    let named = bench.command(&["pii", "tokenize", path, "--session", "work", "--json"]);
    let named: Value = serde_json::from_slice(&named.stdout).unwrap();
    assert_eq!(named["session"], "work");
    assert_eq!(named["counts"], json!({"EMAIL": 1, "PERSON": 1}));
    let value = bench.write("value.txt", "ANN.LEE@example.org\n");
    let erased = bench.as_person(&["pii", "erase", "--value", value.to_str().unwrap()]);
    assert_eq!(text(&erased.stdout), "2 values erased\n", "{}", text(&erased.stderr));
    let gone = bench.as_person(&["pii", "restore", tokens.to_str().unwrap(), "--session", "work"]);
    assert_eq!(gone.status.code(), Some(1));
    assert!(
        text(&gone.stderr).contains("`[EMAIL_1]`, `[NAME_1]` are unknown"),
        "{}",
        text(&gone.stderr)
    );
    let erased = bench.as_person(&["pii", "erase", "--session", "work"]);
    assert_eq!(text(&erased.stdout), "1 value erased\n");
    for (path, bytes) in files(&bench.state_dir()) {
        assert!(!text(&bytes).contains("ann.lee"), "{path}");
    }
}

#[test]
fn images_are_kept_under_a_handle_and_the_result_says_so() {
    let test = "images_are_kept_under_a_handle";
    let Some(equipment) = Equipment::get(test, &["everything"]) else { return };
    let bench = Bench::new();
    let server = equipment.server("everything", &[]);
    let config = |more: &str| {
        let config = format!(
            "[servers.everything]\ncommand = {}\nargs = {}\n{more}",
            server["command"], server["args"]
        );
        bench.write("tidegate.toml", &config);
    };
    config("");
    let (is_error, told) =
        bench.serve().call("call_tool", json!({"name": "everything__get-tiny-image"}));
    assert!(!is_error, "{told}");
    let mut served = bench.serve();
    let answer = served.request(
        "tools/call",
        json!({"name": "call_tool", "arguments": {"name": "everything__get-tiny-image"}}),
    );
    let content = answer["result"]["content"].to_string();
    assert!(!content.contains("\"image\""), "{content}");
    assert!(content.contains("cannot be searched for personal data"), "{content}");
    let run = served.execute("return (await callMCPTool('everything__get-tiny-image', {})).length");
    assert!(run["warnings"].to_string().contains("not searched for personal data"), "{run}");
    drop(served);
    config("[privacy]\nbinary = 'pass'\n");
    let answer = bench.serve().request(
        "tools/call",
        json!({"name": "call_tool", "arguments": {"name": "everything__get-tiny-image"}}),
    );
    assert!(answer["result"]["content"].to_string().contains("\"image\""), "{answer}");
}

#[test]
fn a_named_session_belongs_to_one_process() {
    let bench = Bench::with_servers(json!({}));
    let mut first = Served::start(bench.tidegate().args(["serve", "--session", "work"]));
    first.call("sanitize_pii", json!({"text": "ann.lee@example.org"}));
    let second = bench.command(&["run", "--session", "work", "-"]);
    assert_eq!(second.status.code(), Some(2), "{}", text(&second.stderr));
    let told = text(&second.stderr);
    assert!(told.contains("session `work` is in use by another process"), "{told}");
    first.end();
    let file = bench.write("letter.txt", "bob@example.org ann.lee@example.org");
    let third = bench.command(&["pii", "tokenize", "--session", "work", file.to_str().unwrap()]);
    assert_eq!(text(&third.stdout), "[EMAIL_2] [EMAIL_1]\n");
}
