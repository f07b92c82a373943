//! The commands that are known to read or to add.
//!
//! In: the words of one command. Out: what it does, if that is known. An option that lets a
//! reading command write or run something makes it unknown.

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
    "file",
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
    "lsof",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "pgrep",
    "printenv",
    "printf",
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

/// Commands that only read unless one of these options is given.
const READING_UNLESS: &[(&str, &[&str])] = &[
    ("cd", &[]),
    ("date", &["-s", "--set"]),
    ("fd", &["-x", "-X", "--exec"]),
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sort", &["-o", "--output", "--compress-program", "-T", "-S"]),
    ("tree", &["-o", "--output"]),
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

/// Options with which a reading subcommand of git writes a file or runs something.
const WRITING_OPTIONS: &[&str] =
    &["--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "-o"];

/// Commands that add and overwrite nothing.
const ADDING: &[&str] = &["mkdir", "touch"];

/// Commands that destroy or change something, or run others: for texts that may be prose.
const DESTROYING: &[&str] = &[
    "chattr",
    "chmod",
    "chown",
    "crontab",
    "curl",
    "dd",
    "del",
    "diskpart",
    "docker",
    "erase",
    "eval",
    "exec",
    "fdisk",
    "find",
    "format",
    "git",
    "halt",
    "iptables",
    "kill",
    "killall",
    "kubectl",
    "ln",
    "mkfs",
    "mv",
    "parted",
    "pkill",
    "poweroff",
    "powershell",
    "rd",
    "reboot",
    "remove-item",
    "rm",
    "rmdir",
    "rsync",
    "scp",
    "sed",
    "sh",
    "bash",
    "zsh",
    "shred",
    "shutdown",
    "ssh",
    "sudo",
    "su",
    "systemctl",
    "tee",
    "terraform",
    "truncate",
    "umount",
    "unlink",
    "useradd",
    "userdel",
    "usermod",
    "wget",
    "wipefs",
    "xargs",
];

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
    if let Some((_, options)) = READING_UNLESS.iter().find(|(known, _)| *known == name) {
        let sets_clock = |word: &&str| name == "date" && !word.starts_with(['+', '-']);
        let writes = arguments.iter().any(|word| has_option(word, options) || sets_clock(word));
        return if writes { Known::No } else { Known::Reads };
    }
    let reading = READING_SUBCOMMANDS.iter().find(|(known, _)| *known == name);
    let Some((_, subcommands)) = reading else { return Known::No };
    of_subcommand(name, subcommands, arguments)
}

fn of_subcommand(name: &str, subcommands: &[&str], arguments: &[&str]) -> Known {
    let mut arguments = arguments;
    // `git -C folder status`. Other options before a subcommand can run something.
    while let ("git", ["-C" | "--git-dir" | "--work-tree", _, rest @ ..]) = (name, arguments) {
        arguments = rest;
    }
    while let ("git", ["--no-pager", rest @ ..]) = (name, arguments) {
        arguments = rest;
    }
    let Some((subcommand, rest)) = arguments.split_first() else { return Known::Reads };
    if subcommands.contains(subcommand) {
        let writes = name == "git" && rest.iter().any(|word| has_option(word, WRITING_OPTIONS));
        return if writes { Known::No } else { Known::Reads };
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
        ("git", "add", _) => Known::Adds,
        _ => Known::No,
    }
}

/// Whether a word is one of these options, also with a value attached. Options of one dash
/// may be combined: `-ro` has `-o`.
fn has_option(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        let is_short = option.len() == 2;
        let combined = || {
            let letter = option.chars().nth(1);
            is_short
                && word.starts_with('-')
                && !word.starts_with("--")
                && letter.is_some_and(|letter| word.contains(letter))
        };
        word.starts_with(option)
            || combined()
            || (option.starts_with("--") && is_prefix(word, option))
    })
}

/// Long options may be abbreviated: `--outp=x`.
fn is_prefix(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.len() > 3 && option.starts_with(name)
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
