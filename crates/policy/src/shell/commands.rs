//! The commands that are known to read or to add.
//!
//! In: the words of one command. Out: what it does, if that is known. Where a reading command
//! has options with which it writes or runs something, only the options that are known to do
//! neither (`options.rs`) leave it reading.

use super::options::{OPTIONS, Options, SUBCOMMAND_OPTIONS};

/// What is known about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Reads,
    Adds,
    /// It may do anything.
    No,
}

/// Commands that only read, with every argument.
const READING: &[&str] = &[
    "[",
    "arch",
    "basename",
    "cal",
    "cat",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "df",
    "diff",
    "dir",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expand",
    "expr",
    "false",
    "fgrep",
    "fold",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "id",
    "jq",
    "join",
    "ls",
    "lsblk",
    "lscpu",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "pgrep",
    "printenv",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "tty",
    "type",
    "uname",
    "uptime",
    "users",
    "vmstat",
    "w",
    "wc",
    "where",
    "which",
    "who",
    "whoami",
];

/// Subcommands that only read. Empty for the command without arguments.
const READING_SUBCOMMANDS: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "blame",
            "cat-file",
            "describe",
            "diff",
            "help",
            "log",
            "ls-files",
            "ls-tree",
            "merge-base",
            "name-rev",
            "rev-list",
            "rev-parse",
            "shortlog",
            "show",
            "show-ref",
            "status",
            "version",
            "whatchanged",
            "--version",
        ],
    ),
    ("docker", &["ps", "images", "inspect", "logs", "version", "info", "top", "stats"]),
    ("kubectl", &["get", "describe", "logs", "version", "explain", "api-resources"]),
    ("npm", &["ls", "list", "outdated", "view", "--version", "-v"]),
    ("pip", &["list", "show", "freeze", "--version"]),
    ("systemctl", &["status", "list-units", "is-active", "show"]),
];

/// Commands that add and overwrite nothing.
const ADDING: &[&str] = &["mkdir", "touch"];

/// Commands that destroy or change something, or run others: for texts that may be prose.
const DESTROYING: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "ash",
    "attrib",
    "aws",
    "awk",
    "az",
    "brew",
    "busybox",
    "chattr",
    "chgrp",
    "chmod",
    "chown",
    "chpasswd",
    "chroot",
    "clear-content",
    "cmd",
    "copy",
    "copy-item",
    "cp",
    "crontab",
    "csh",
    "curl",
    "dash",
    "dd",
    "del",
    "deno",
    "diskpart",
    "dnf",
    "doas",
    "docker",
    "erase",
    "eval",
    "exec",
    "fdisk",
    "find",
    "fish",
    "format",
    "gawk",
    "gcloud",
    "gh",
    "git",
    "halt",
    "helm",
    "icacls",
    "iex",
    "install",
    "invoke-expression",
    "iptables",
    "kill",
    "killall",
    "ksh",
    "kubectl",
    "launchctl",
    "ln",
    "lua",
    "make",
    "mawk",
    "mkfs",
    "mongosh",
    "mount",
    "move",
    "move-item",
    "mv",
    "mysql",
    "nc",
    "ncat",
    "nft",
    "node",
    "npm",
    "npx",
    "osascript",
    "parted",
    "passwd",
    "perl",
    "php",
    "pip",
    "pip3",
    "pkill",
    "podman",
    "poweroff",
    "powershell",
    "psql",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rd",
    "reboot",
    "redis-cli",
    "reg",
    "remove-item",
    "ren",
    "rename-item",
    "rm",
    "rmdir",
    "robocopy",
    "rsync",
    "ruby",
    "schtasks",
    "scp",
    "screen",
    "sed",
    "service",
    "set-content",
    "sftp",
    "sh",
    "bash",
    "shred",
    "shutdown",
    "socat",
    "sqlite3",
    "ssh",
    "stop-process",
    "su",
    "sudo",
    "systemctl",
    "takeown",
    "tee",
    "terraform",
    "tmux",
    "truncate",
    "ufw",
    "umount",
    "unlink",
    "useradd",
    "userdel",
    "usermod",
    "uv",
    "uvx",
    "visudo",
    "wget",
    "wipefs",
    "xargs",
    "yum",
    "zsh",
];

/// Those that are English words as well: prose may begin with one.
const ENGLISH: &[&str] = &[
    "attrib", "copy", "erase", "exec", "find", "fish", "format", "halt", "install", "kill", "make",
    "mount", "move", "parted", "reboot", "reg", "screen", "service", "shutdown", "su", "tee",
    "truncate", "unlink",
];

/// Commands that run the command after them, words of shells before one, and builtins.
const BEFORE_COMMAND: &[&str] = &[
    "!", "builtin", "chronic", "command", "do", "elif", "else", "env", "exec", "if", "ionice",
    "nice", "nohup", "setsid", "stdbuf", "then", "time", "timeout", "until", "while",
];

/// Commands that print: what they print may be written to a file.
const PRINTING: &[&str] =
    &["cat", "echo", "printf", "ls", "grep", "sort", "seq", "jq", "ps", "env"];

/// What a command does. Its name counts only as it is: no path, no variable, no alias.
pub(super) fn known(name: &str, arguments: &[&str]) -> Known {
    let plain = |word: &str| !word.contains(['$', '`']);
    if !arguments.iter().all(|word| plain(word)) {
        return Known::No;
    }
    if READING.contains(&name) {
        return Known::Reads;
    }
    if ADDING.contains(&name) {
        return Known::Adds;
    }
    if let Some((_, options)) = OPTIONS.iter().find(|(known, _)| *known == name) {
        // A value without an option sets the clock.
        let sets_clock = name == "date" && sets_clock(arguments);
        let reads = options.allow(arguments) && !sets_clock;
        return if reads { Known::Reads } else { Known::No };
    }
    let reading = READING_SUBCOMMANDS.iter().find(|(known, _)| *known == name);
    let Some((_, subcommands)) = reading else { return Known::No };
    of_subcommand(name, subcommands, arguments)
}

fn sets_clock(arguments: &[&str]) -> bool {
    let mut before = "";
    arguments.iter().any(|word| {
        let is_value = matches!(before, "-d" | "--date" | "-r" | "--reference");
        before = word;
        !is_value && !word.starts_with(['+', '-'])
    })
}

fn of_subcommand(name: &str, subcommands: &[&str], arguments: &[&str]) -> Known {
    let mut arguments = arguments;
    // Any other option before a subcommand can make git run something: another repository has
    // its own hooks and drivers.
    while let ("git", ["--no-pager" | "--no-optional-locks", rest @ ..]) = (name, arguments) {
        arguments = rest;
    }
    let Some((subcommand, rest)) = arguments.split_first() else { return Known::Reads };
    if subcommands.contains(subcommand) {
        let options = SUBCOMMAND_OPTIONS.iter().find(|(known, _)| *known == name);
        let reads = options.is_none_or(|(_, options): &(_, Options)| options.allow(rest));
        return if reads { Known::Reads } else { Known::No };
    }
    match (name, *subcommand, rest) {
        ("git", "branch" | "remote" | "tag" | "stash", []) => match *subcommand {
            "stash" => Known::No,
            _ => Known::Reads,
        },
        ("git", "branch", ["-a" | "-r" | "-v" | "-vv" | "--all" | "--list" | "--show-current"])
        | ("git", "remote", ["-v"])
        | ("git", "tag", ["-l" | "--list"])
        | ("git", "stash", ["list"])
        | ("git", "config", ["-l" | "--list"] | ["--get", _]) => Known::Reads,
        ("git", "add", paths) if paths.iter().all(|word| is_added(word)) => Known::Adds,
        _ => Known::No,
    }
}

/// Whether `git add` takes this word without running anything.
fn is_added(word: &str) -> bool {
    !word.starts_with('-')
        || matches!(word, "-A" | "-u" | "-v" | "-n" | "--all" | "--update" | "--")
}

/// Whether a command is known to destroy, change or run something.
pub(super) fn is_destroying(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".exe").unwrap_or(&lower);
    DESTROYING.contains(&stem) || stem.starts_with("mkfs.")
}

/// A command without its folder.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Whether a command prints something.
pub(super) fn is_printing(name: &str) -> bool {
    PRINTING.contains(&name)
}

/// The words of a command without what only leads to it: `LC_ALL=C env -i nice -n 5 rm x`.
pub(super) fn led(words: &[String]) -> &[String] {
    let mut rest = words;
    let mut is_led = false;
    while let Some((first, after)) = rest.split_first() {
        let assigns = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        let leads = BEFORE_COMMAND.contains(&first.as_str());
        // An option of what leads, or its value.
        let is_option =
            is_led && (first.starts_with('-') || first.starts_with(|c: char| c.is_ascii_digit()));
        if !(assigns || leads || is_option) {
            return rest;
        }
        is_led |= leads;
        rest = after;
    }
    rest
}

/// Whether words may be arguments of a command that destroys, and not the rest of a sentence.
pub(super) fn are_arguments(name: &str, words: &[String]) -> bool {
    let is_argument = |word: &String| {
        word.starts_with('-') || word.contains(['/', '*', '~', '=']) || word.parse::<u32>().is_ok()
    };
    let names_file = |word: &String| {
        word.trim_matches('.').split_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && !end.is_empty() && end.chars().all(char::is_alphanumeric)
        })
    };
    let lower = name.to_ascii_lowercase();
    if ENGLISH.contains(&lower.as_str()) {
        return words.iter().any(is_argument);
    }
    // No sentence begins with `rm`.
    lower == "rm" && !words.is_empty()
        || words.iter().any(|word| is_argument(word) || names_file(word))
}
