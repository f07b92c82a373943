//! Reads the servers.

use crate::error::{ConfigError, ConfigErrorKind};
use crate::keys::key::Kind;
use crate::keys::server::{SERVER, ServerKey};
use crate::read::node::{Entry, Value, duplicate};
use crate::read::raw::{Presence, RawServer};
use crate::read::reader::{Reader, Unknown};

impl<'a> Reader<'a> {
    pub(super) fn servers(&mut self, entries: &'a [Entry]) -> Result<(), ConfigError> {
        if let Some((again, first)) = duplicate(entries) {
            let what = format!("duplicate server `{}`", again.key);
            return Err(self.written_twice(again, first, &what));
        }
        for entry in entries {
            let server = self.server(entry)?;
            self.raw.servers.push(server);
        }
        Ok(())
    }

    fn server(&mut self, entry: &'a Entry) -> Result<RawServer, ConfigError> {
        let name = &entry.key;
        let Value::Object(entries) = &entry.node.value else {
            let expected = Kind::Section.expected(self.format);
            let got = entry.node.type_name(self.format);
            let message = format!("server `{name}` expects {expected}, got {got}");
            let offset = entry.node.span.start;
            return Err(self.source.error(ConfigErrorKind::WrongType, offset, message));
        };
        let scope = format!(" in server `{name}`");
        let mut server = RawServer {
            name: name.clone(),
            offset: entry.key_span.start,
            command: None,
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
            url: None,
            headers: Vec::new(),
            transport_type: None,
            timeout: None,
            connect_timeout: None,
            max_concurrent: None,
            presence: Presence::Used,
        };
        for (key, entry) in self.known(SERVER, entries, &scope, Unknown::Refused)? {
            let reading = self.reading(key, entry, &scope);
            match key.id {
                ServerKey::Command => server.command = Some(reading.text()?),
                ServerKey::Args => server.args = reading.text_list()?,
                ServerKey::Env => server.env = reading.text_map()?,
                ServerKey::Cwd => server.cwd = Some(reading.text()?),
                ServerKey::Url => server.url = Some(reading.text()?),
                ServerKey::Headers => server.headers = reading.text_map()?,
                ServerKey::Type => server.transport_type = Some(reading.word()?),
                ServerKey::Timeout => server.timeout = Some(self.duration(&reading)?),
                ServerKey::ConnectTimeout => {
                    server.connect_timeout = Some(self.duration(&reading)?);
                }
                ServerKey::MaxConcurrent => server.max_concurrent = Some(reading.count()?),
                ServerKey::Enabled => {
                    if !reading.flag()? {
                        server.presence = Presence::LeftOut;
                    }
                }
                ServerKey::Disabled => {
                    if reading.flag()? {
                        server.presence = Presence::LeftOut;
                    }
                }
                ServerKey::Foreign => self.foreign(&key.kind, entry, &scope),
            }
        }
        Ok(server)
    }
}
