//! A configured upstream MCP server: its name, its transport and its limits. Plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Secret;

/// One configured upstream server, with every variable already expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// The name from the configuration, unique after folding (see `catalog::names`).
    pub name: String,
    /// Its transport.
    pub transport: Transport,
    /// The longest that one request may take.
    pub timeout: Duration,
    /// The longest that start and handshake may take.
    pub connect_timeout: Duration,
    /// The most requests in flight.
    pub max_concurrent: usize,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A child process that speaks MCP on stdin and stdout.
    Stdio {
        /// The executable, looked up on `PATH` if it has no slash.
        command: String,
        /// Arguments. They may carry credentials, so they are not printed.
        args: Vec<Secret<String>>,
        /// Variables added to the child's environment.
        env: BTreeMap<String, Secret<String>>,
        /// Working directory; the gateway's own if absent.
        cwd: Option<PathBuf>,
    },
    /// A remote server over Streamable HTTP.
    Http {
        /// The endpoint. Its query may carry a key, so it is not printed.
        url: Secret<String>,
        /// Extra request headers.
        headers: BTreeMap<String, Secret<String>>,
    },
}

impl Transport {
    /// A description without secrets, for people and logs.
    pub fn describe(&self) -> String {
        match self {
            Self::Stdio { command, .. } => format!("stdio `{command}`"),
            Self::Http { url, .. } => {
                let url = url.expose();
                let end = url.find(['?', '#']).unwrap_or(url.len());
                let shown = &url[..end];
                // `https://user:password@host/` must not show its password.
                let host_and_path = shown.split_once("://").map_or(shown, |(_, rest)| rest);
                let host = host_and_path.split('/').next().unwrap_or_default();
                let host = host.rsplit('@').next().unwrap_or_default();
                format!("http `{host}`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::Transport;
    use crate::Secret;

    #[test]
    fn a_description_shows_neither_query_nor_user_info() {
        let http = Transport::Http {
            url: Secret::new("https://bob:pw@mcp.example.com/v1?key=abc".into()),
            headers: BTreeMap::new(),
        };
        assert_eq!(http.describe(), "http `mcp.example.com`");
    }
}
