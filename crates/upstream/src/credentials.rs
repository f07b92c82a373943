//! The single source of a server's authorization.
//!
//! In: a configured server. Out: an [`Authorization`] each time a connection is opened, and
//! again after the server has refused one with 401. Configured values are the only source:
//! they never change while the gateway runs, so nothing is tried twice with them.
//!
//! Invariant: values stay [`Secret`] in here. They are exposed where they leave the process:
//! in a child's environment (`child.rs`) and in request headers (`http.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;

use tidegate_model::{Secret, ServerSpec, Transport};

/// Gives one server's connections their authorization.
#[derive(Debug)]
pub(crate) struct CredentialProvider {
    source: CredentialSource,
}

/// Where authorizations come from.
#[derive(Debug)]
enum CredentialSource {
    /// `env` and `headers` of the configuration.
    Configured(Authorization),
}

/// What one connection presents to its server: environment variables of a child, or headers
/// of every request. Clones share the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authorization(Arc<BTreeMap<String, Secret<String>>>);

impl CredentialProvider {
    /// The provider for a configured server.
    pub(crate) fn new(spec: &ServerSpec) -> Self {
        let values = match &spec.transport {
            Transport::Stdio { env, .. } => env,
            Transport::Http { headers, .. } => headers,
        };
        let configured = Authorization(Arc::new(values.clone()));
        Self { source: CredentialSource::Configured(configured) }
    }

    /// The authorization for a connection that is being opened.
    pub(crate) fn authorization(&self) -> Authorization {
        match &self.source {
            CredentialSource::Configured(authorization) => authorization.clone(),
        }
    }

    /// Another authorization after the server has refused this one; none if there is no
    /// other, since repeating a refused one can lock an account.
    pub(crate) fn after_refusal(&self, refused: &Authorization) -> Option<Authorization> {
        Some(self.authorization()).filter(|current| current != refused)
    }
}

impl Authorization {
    /// Names and values, sorted by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Secret<String>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The value of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Secret<String>> {
        self.0.get(name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use tidegate_model::{Secret, ServerSpec, Transport};

    use super::{Authorization, CredentialProvider};

    fn values(value: &str) -> BTreeMap<String, Secret<String>> {
        BTreeMap::from([("Authorization".to_owned(), Secret::new(value.to_owned()))])
    }

    fn provider(transport: Transport) -> CredentialProvider {
        CredentialProvider::new(&ServerSpec {
            name: "crm".into(),
            transport,
            timeout: Duration::from_secs(1),
            connect_timeout: Duration::from_secs(1),
            max_concurrent: 1,
        })
    }

    #[test]
    fn every_connection_gets_the_configured_headers_or_variables() {
        let url = Secret::new("https://crm.example".to_owned());
        let http = Transport::Http { url, headers: values("Bearer a") };
        let env = values("a");
        let stdio = Transport::Stdio { command: "crm".into(), args: Vec::new(), env, cwd: None };
        for (transport, expected) in [(http, "Bearer a"), (stdio, "a")] {
            let provider = provider(transport);
            for _ in 0..2 {
                let authorization = provider.authorization();
                let exposed: Vec<_> = authorization
                    .iter()
                    .map(|(name, value)| (name, value.expose().as_str()))
                    .collect();
                assert_eq!(exposed, [("Authorization", expected)]);
            }
        }
    }

    #[test]
    fn a_refused_authorization_is_not_given_again() {
        let url = Secret::new("https://crm.example".to_owned());
        let provider = provider(Transport::Http { url, headers: values("Bearer new") });
        assert_eq!(provider.after_refusal(&provider.authorization()), None);
        // One that was given before the values changed.
        let outdated = Authorization(values("Bearer old").into());
        assert_eq!(provider.after_refusal(&outdated), Some(provider.authorization()));
    }

    #[test]
    fn neither_a_provider_nor_an_authorization_prints_a_value() {
        let url = Secret::new("https://crm.example".to_owned());
        let provider = provider(Transport::Http { url, headers: values("Bearer hunter2") });
        let printed = format!("{provider:?} {:?}", provider.authorization());
        assert!(!printed.contains("hunter2"), "{printed}");
    }
}
