//! Keys of one server, including those that clients write for themselves.

use crate::keys::key::{Key, Kind, no, nothing, yes};
use crate::quantity::show_duration;
use crate::settings::{DEFAULT_CONNECT_TIMEOUT, DEFAULT_MAX_CONCURRENT, DEFAULT_TIMEOUT};

/// Keys of one server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKey {
    Command,
    Args,
    Env,
    Cwd,
    Url,
    Headers,
    Type,
    Timeout,
    ConnectTimeout,
    MaxConcurrent,
    Enabled,
    Disabled,
    Foreign,
}

pub(crate) const SERVER: &[Key<ServerKey>] = &[
    Key {
        id: ServerKey::Command,
        toml: &["command"],
        json: &["command"],
        kind: Kind::Text,
        default: nothing,
        doc: "The executable of a local server. `~/` at the start is the home folder. It is looked \
              up on `PATH` when the server is started.",
    },
    Key {
        id: ServerKey::Args,
        toml: &["args"],
        json: &["args"],
        kind: Kind::TextList,
        default: nothing,
        doc: "Arguments of the command.",
    },
    Key {
        id: ServerKey::Env,
        toml: &["env"],
        json: &["env"],
        kind: Kind::TextMap,
        default: nothing,
        doc: "Variables added to the environment of the command.",
    },
    Key {
        id: ServerKey::Cwd,
        toml: &["cwd"],
        json: &["cwd"],
        kind: Kind::Text,
        default: own_folder,
        doc: "The folder in which the command runs. `~/` at the start is the home folder; a relative \
              path counts from the workspace folder.",
    },
    Key {
        id: ServerKey::Url,
        toml: &["url"],
        json: &["url", "serverUrl", "httpUrl"],
        kind: Kind::Text,
        default: nothing,
        doc: "The Streamable HTTP endpoint of a remote server, `http` or `https`.",
    },
    Key {
        id: ServerKey::Headers,
        toml: &["headers"],
        json: &["headers"],
        kind: Kind::TextMap,
        default: nothing,
        doc: "Request headers for a remote server.",
    },
    Key {
        id: ServerKey::Type,
        toml: &["type"],
        json: &["type"],
        kind: Kind::Word(&[
            "stdio",
            "http",
            "streamable-http",
            "streamable_http",
            "streamableHttp",
            "sse",
            "local",
            "remote",
        ]),
        default: follows_transport,
        doc: "Repeats what `command` or `url` implies, and must agree with it. The old transport \
              `sse` is refused.",
    },
    Key {
        id: ServerKey::Timeout,
        toml: &["timeout"],
        json: &["timeout"],
        kind: Kind::Duration,
        default: default_timeout,
        doc: "The longest one request may take.",
    },
    Key {
        id: ServerKey::ConnectTimeout,
        toml: &["connect_timeout"],
        json: &["connectTimeout", "connect_timeout"],
        kind: Kind::Duration,
        default: default_connect_timeout,
        doc: "The longest the start and the handshake may take.",
    },
    Key {
        id: ServerKey::MaxConcurrent,
        toml: &["max_concurrent"],
        json: &["maxConcurrent", "max_concurrent"],
        kind: Kind::Count { most: 1024 },
        default: default_max_concurrent,
        doc: "How many requests may be in flight at once.",
    },
    Key {
        id: ServerKey::Enabled,
        toml: &["enabled"],
        json: &["enabled"],
        kind: Kind::Flag,
        default: yes,
        doc: "`false` disables the server.",
    },
    Key {
        id: ServerKey::Disabled,
        toml: &[],
        json: &["disabled"],
        kind: Kind::Flag,
        default: no,
        doc: "`true` disables the server.",
    },
    foreign(&["alwaysAllow"], None, "A client's own key, ignored."),
    foreign(&["autoApprove"], None, "A client's own key, ignored."),
    foreign(&["description"], None, "A client's own key, ignored."),
    foreign(&["trust"], None, "A client's own key, ignored."),
    foreign(&["tools"], None, "A client's own key, ignored."),
    foreign(&["metadata"], None, "A client's own key, ignored."),
    foreign(
        &["includeTools"],
        Some("every tool of the server is offered"),
        "Ignored with a warning: every tool of the server is offered.",
    ),
    foreign(
        &["excludeTools"],
        Some("every tool of the server is offered"),
        "Ignored with a warning: every tool of the server is offered.",
    ),
    foreign(
        &["envFile"],
        Some("the file is not read, so write its variables under `env`"),
        "Ignored with a warning: the file is not read. Write its variables under `env`.",
    ),
    foreign(
        &["oauth"],
        Some("no OAuth login is made, so write a token under `headers`"),
        "Ignored with a warning: no OAuth login is made. Write a token under `headers`.",
    ),
];

/// A key that clients write for themselves.
const fn foreign(
    json: &'static [&'static str],
    warning: Option<&'static str>,
    doc: &'static str,
) -> Key<ServerKey> {
    let kind = Kind::Foreign { warning };
    Key { id: ServerKey::Foreign, toml: &[], json, kind, default: nothing, doc }
}

fn own_folder() -> String {
    "the gateway's own".into()
}

fn follows_transport() -> String {
    "from `command` or `url`".into()
}

fn default_timeout() -> String {
    format!("`{}`", show_duration(DEFAULT_TIMEOUT))
}

fn default_connect_timeout() -> String {
    format!("`{}`", show_duration(DEFAULT_CONNECT_TIMEOUT))
}

fn default_max_concurrent() -> String {
    format!("`{DEFAULT_MAX_CONCURRENT}`")
}
