//! The options with which reading commands only read.
//!
//! Commands that write or run something with some option are listed here with those that do
//! neither. Any other option, one that is abbreviated among them, makes the command unknown.

/// Options of one command.
pub(super) struct Options {
    /// Letters without a value: `-la`.
    flags: &'static str,
    /// Letters with a value, which may be attached: `-n5`.
    valued: &'static str,
    /// Words after two dashes, without an abbreviation. After one dash for `find`.
    words: &'static str,
}

impl Options {
    /// Whether all words are operands or known options. What looks like an option behind `--` is
    /// looked at too: `find` goes on with its options there, and `--` may be the value of one.
    pub(super) fn allow(&self, arguments: &[&str]) -> bool {
        arguments.iter().all(|word| *word == "--" || self.allows(word))
    }

    fn allows(&self, word: &str) -> bool {
        let Some(option) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            return true;
        };
        let name = option.split('=').next().unwrap_or(option);
        if let Some(long) = name.strip_prefix('-') {
            return self.has_word(long);
        }
        // `find . -name x -size -10k` has words after one dash, and values with one.
        let is_number = option.starts_with(|c: char| c.is_ascii_digit());
        if self.flags.is_empty() && (self.has_word(name) || is_number) {
            return true;
        }
        for letter in option.chars() {
            if self.valued.contains(letter) {
                return true;
            }
            if !self.flags.contains(letter) && !letter.is_ascii_digit() {
                return false;
            }
        }
        true
    }

    fn has_word(&self, wanted: &str) -> bool {
        self.words.split(' ').any(|word| word == wanted && !word.is_empty())
    }
}

/// Commands whose options decide whether they only read.
pub(super) const OPTIONS: &[(&str, Options)] = &[
    ("cd", Options { flags: "LP", valued: "", words: "" }),
    (
        "date",
        Options {
            flags: "uRjn",
            valued: "dIrv",
            words: "date utc universal iso-8601 rfc-3339 rfc-email reference help version",
        },
    ),
    (
        "fd",
        Options {
            flags: "HIuspagiLFqh0V",
            valued: "deEtScojM",
            words: "absolute-path base-directory case-sensitive changed-before changed-within \
                    color exact-depth exclude extension fixed-strings follow full-path glob \
                    hidden ignore-case max-depth max-results min-depth no-ignore no-ignore-vcs \
                    print0 search-path size type unrestricted version help",
        },
    ),
    (
        "file",
        Options {
            flags: "bhiLNnprsSvkE0",
            valued: "mfFPe",
            words: "brief dereference extension keep-going mime mime-encoding mime-type \
                    no-buffer no-dereference raw separator version help",
        },
    ),
    (
        "find",
        Options {
            flags: "",
            valued: "",
            words: "a amin and anewer atime cmin cnewer ctime d daystart depth empty \
                    executable false follow gid group H ilname iname inum ipath iregex \
                    iwholename L links lname ls maxdepth mindepth mmin mount mtime name newer \
                    newerct newermt nogroup noleaf not nouser o or P path perm print print0 \
                    printf prune quit readable regex regextype samefile size true type uid \
                    user wholename writable xdev xtype",
        },
    ),
    ("lsof", Options { flags: "PnatTUlRV", valued: "ipucdsgF", words: "" }),
    ("printf", Options { flags: "", valued: "", words: "" }),
    (
        "rg",
        Options {
            flags: "abcFhHiIlLnNopPqsSuUvVwx.",
            valued: "ABCeEfgmMrtTdj",
            words: "after-context before-context binary case-sensitive color colors column \
                    context count count-matches crlf debug encoding file files \
                    files-with-matches files-without-match fixed-strings follow glob \
                    glob-case-insensitive heading help hidden iglob ignore-case include-zero \
                    invert-match json line-number line-regexp max-columns max-count max-depth \
                    max-filesize multiline multiline-dotall no-config no-filename no-heading \
                    no-ignore no-ignore-vcs no-line-number no-messages no-unicode null \
                    null-data one-file-system only-matching passthru path-separator pcre2 \
                    pretty quiet regexp replace smart-case sort sortr stats text threads trim \
                    type type-list type-not unrestricted version vimgrep with-filename \
                    word-regexp",
        },
    ),
    (
        "sort",
        Options {
            flags: "bdfghiMnRrVcCmsuz",
            valued: "kt",
            words: "check dictionary-order field-separator general-numeric-sort help \
                    human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting \
                    key merge month-sort numeric-sort parallel random-sort reverse stable \
                    unique version version-sort zero-terminated",
        },
    ),
    (
        "tree",
        Options {
            // `-R` writes a file in each folder.
            flags: "adflixpsughDFqNQrtcUACSnvXJ",
            valued: "LPI",
            words: "charset device dirsfirst du filelimit filesfirst gitignore help \
                    ignore-case inodes matchdirs noreport prune si sort version",
        },
    ),
];

/// Options after the subcommands that read. Those of docker write and run nothing.
pub(super) const SUBCOMMAND_OPTIONS: &[(&str, Options)] = &[
    (
        "git",
        Options {
            flags: "abcdfghikmpqrstuvwzEFHNPRW",
            valued: "SGLnUMCBXle",
            words: "abbrev abbrev-commit abbrev-ref absolute-git-dir after all all-match \
                    always ancestry-path author author-date-order before binary boundary \
                    branch branches cached check cherry-mark cherry-pick children color \
                    color-moved color-words column committer compact-summary contains count \
                    date date-order decorate deduplicate deleted dense dereference describe \
                    diff-algorithm diff-filter directory dirstat dirty email end-of-options \
                    eol error-unmatch exact-match exclude exclude-standard exit-code \
                    extended-regexp find-copies find-renames first-parent fixed-strings follow \
                    fork-point format full-history full-index full-name function-context \
                    git-common-dir git-dir graph grep hash heads histogram ignore-all-space \
                    ignore-blank-lines ignore-space-at-eol ignore-space-change \
                    ignore-submodules ignored incremental independent inter-hunk-context \
                    invert-grep is-ancestor is-bare-repository is-inside-work-tree killed \
                    left-only left-right line-porcelain long match max-count merge-base merges \
                    minimal modified name-only name-status no-abbrev no-abbrev-commit no-color \
                    no-decorate no-ext-diff no-merges no-notes no-patch no-prefix no-renames \
                    no-textconv no-walk not notes numbered numstat octopus oneline others \
                    parents patch patience perl-regexp pickaxe-all pickaxe-regex porcelain \
                    pretty quiet raw regexp-ignore-case relative remotes reverse right-only \
                    root short shortstat show-cdup show-current show-email show-name \
                    show-number show-prefix show-stash show-toplevel simplify-by-decoration \
                    since skip sort source src-prefix dst-prefix stage staged stat summary \
                    symbolic symbolic-full-name tags topo-order unified unmerged until \
                    untracked-files verify version word-diff word-diff-regex",
        },
    ),
    (
        "kubectl",
        Options {
            flags: "AwpRh",
            valued: "nolLcf",
            words: "all-containers all-namespaces api-group api-version chunk-size client \
                    container context field-selector filename follow help ignore-not-found \
                    label-columns limit-bytes max-log-requests namespace namespaced no-headers \
                    output prefix previous raw recursive request-timeout selector short \
                    show-events show-kind show-labels show-managed-fields since since-time \
                    sort-by subresource tail timestamps verbs watch",
        },
    ),
    (
        "npm",
        Options {
            flags: "alpg",
            valued: "",
            words: "all depth dev global include json long omit parseable prod production \
                    version",
        },
    ),
    (
        "pip",
        Options {
            flags: "oulvqf",
            valued: "",
            words: "all disable-pip-version-check editable exclude exclude-editable files \
                    format local no-color no-input not-required outdated path pre quiet \
                    uptodate user verbose version",
        },
    ),
    (
        "systemctl",
        Options {
            flags: "alq",
            valued: "ntpo",
            words: "all failed full lines no-legend no-pager output plain property quiet \
                    show-types state system type user value",
        },
    ),
];
