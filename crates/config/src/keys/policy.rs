//! The keys of a policy file, and of `[policy]`, which names one.

use tidegate_model::{Decision, Effect, PolicyDefaults, RiskLevel};

use crate::keys::key::{Key, Kind, nothing};

/// Keys of `[policy]` in `tidegate.toml`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PolicyKey {
    File,
}

pub(crate) const POLICY: &[Key<PolicyKey>] = &[Key {
    id: PolicyKey::File,
    toml: &["file"],
    json: &[],
    kind: Kind::Text,
    default: beside,
    doc: "The file with the rules. If named, it must exist.",
}];

const WORDS: Kind =
    Kind::Word(&[Decision::Allow.as_str(), Decision::Ask.as_str(), Decision::Deny.as_str()]);

const LEVELS: Kind = Kind::Word(&[
    RiskLevel::Low.as_str(),
    RiskLevel::Medium.as_str(),
    RiskLevel::High.as_str(),
    RiskLevel::Critical.as_str(),
]);

const EFFECTS: Kind = Kind::Word(&[
    Effect::ReadOnly.as_str(),
    Effect::Additive.as_str(),
    Effect::Destructive.as_str(),
    Effect::Unknown.as_str(),
]);

/// Keys at the top of a policy file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PolicyTopKey {
    Defaults,
    Rules,
}

pub(crate) const POLICY_TOP: &[Key<PolicyTopKey>] = &[
    Key {
        id: PolicyTopKey::Defaults,
        toml: &["defaults"],
        json: &[],
        kind: Kind::Section,
        default: nothing,
        doc: "The decisions where no rule matches.",
    },
    Key {
        id: PolicyTopKey::Rules,
        toml: &["rule"],
        json: &[],
        kind: Kind::Sections,
        default: nothing,
        doc: "One rule for each `[[rule]]`.",
    },
];

/// Keys of `[defaults]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultsKey {
    ReadOnly,
    Additive,
    Destructive,
    Unknown,
    Critical,
}

pub(crate) const POLICY_DEFAULTS: &[Key<DefaultsKey>] = &[
    Key {
        id: DefaultsKey::ReadOnly,
        toml: &["read_only"],
        json: &[],
        kind: WORDS,
        default: || word(PolicyDefaults::default().read_only),
        doc: "Calls of tools that change nothing.",
    },
    Key {
        id: DefaultsKey::Additive,
        toml: &["additive"],
        json: &[],
        kind: WORDS,
        default: || word(PolicyDefaults::default().additive),
        doc: "Calls of tools that add, and destroy nothing.",
    },
    Key {
        id: DefaultsKey::Destructive,
        toml: &["destructive"],
        json: &[],
        kind: WORDS,
        default: || word(PolicyDefaults::default().destructive),
        doc: "Calls of tools that may destroy something.",
    },
    Key {
        id: DefaultsKey::Unknown,
        toml: &["unknown"],
        json: &[],
        kind: WORDS,
        default: || word(PolicyDefaults::default().unknown),
        doc: "Calls of tools whose effect neither the configuration, nor the server, nor the name \
              tells.",
    },
    Key {
        id: DefaultsKey::Critical,
        toml: &["critical"],
        json: &[],
        kind: WORDS,
        default: || word(PolicyDefaults::default().critical),
        doc: "Programs whose risk is critical.",
    },
];

/// Keys of one rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleKey {
    Name,
    Decision,
    Server,
    Tool,
    Arguments,
    Sql,
    Profile,
    Risk,
    Because,
    Example,
}

pub(crate) const RULE: &[Key<RuleKey>] = &[
    Key {
        id: RuleKey::Name,
        toml: &["name"],
        json: &[],
        kind: Kind::Text,
        default: must,
        doc: "The unique name of the rule, shown wherever it decides.",
    },
    Key {
        id: RuleKey::Decision,
        toml: &["decision"],
        json: &[],
        kind: WORDS,
        default: must,
        doc: "What the rule decides.",
    },
    Key {
        id: RuleKey::Server,
        toml: &["server"],
        json: &[],
        kind: Kind::Texts,
        default: any,
        doc: "Names of servers; `*` stands for any characters.",
    },
    Key {
        id: RuleKey::Tool,
        toml: &["tool"],
        json: &[],
        kind: Kind::Texts,
        default: any,
        doc: "Names of tools as their servers spell them; `*` stands for any characters.",
    },
    Key {
        id: RuleKey::Arguments,
        toml: &["arguments"],
        json: &[],
        kind: Kind::TextsMap,
        default: any,
        doc: "Conditions on arguments, all of which must hold: a key (dotted for a nested one, `*` \
              for any) and the texts that it may have, with `*`, or `regex:…`.",
    },
    Key {
        id: RuleKey::Sql,
        toml: &["sql"],
        json: &[],
        kind: Kind::Texts,
        default: any,
        doc: "SQL verbs, such as `drop`: matches if an argument contains one of them. Not possible \
              with `allow`.",
    },
    Key {
        id: RuleKey::Profile,
        toml: &["profile"],
        json: &[],
        kind: Kind::Texts,
        default: any,
        doc: "Names of profiles, one of which must bound the run; `*` stands for any characters.",
    },
    Key {
        id: RuleKey::Risk,
        toml: &["risk"],
        json: &[],
        kind: LEVELS,
        default: any,
        doc: "The risk of the program: rules that ask or deny match this level and above, rules \
              that allow match this level and below.",
    },
    Key {
        id: RuleKey::Because,
        toml: &["because"],
        json: &[],
        kind: Kind::Text,
        default: nothing,
        doc: "The reason, shown with every decision of the rule.",
    },
    Key {
        id: RuleKey::Example,
        toml: &["example"],
        json: &[],
        kind: Kind::Sections,
        default: nothing,
        doc: "Expected decisions, checked whenever the file is loaded.",
    },
];

/// Keys of one example.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExampleKey {
    Call,
    Arguments,
    Profile,
    Risk,
    Effect,
    Decision,
}

pub(crate) const EXAMPLE: &[Key<ExampleKey>] = &[
    Key {
        id: ExampleKey::Call,
        toml: &["call"],
        json: &[],
        kind: Kind::Text,
        default: || "a program as such".into(),
        doc: "`server__tool`.",
    },
    Key {
        id: ExampleKey::Arguments,
        toml: &["arguments"],
        json: &[],
        kind: Kind::Section,
        default: nothing,
        doc: "Its arguments.",
    },
    Key {
        id: ExampleKey::Profile,
        toml: &["profile"],
        json: &[],
        kind: Kind::Texts,
        default: || "the configured one".into(),
        doc: "The profiles of the run.",
    },
    Key {
        id: ExampleKey::Risk,
        toml: &["risk"],
        json: &[],
        kind: LEVELS,
        default: || "`low`".into(),
        doc: "How risky the program is.",
    },
    Key {
        id: ExampleKey::Effect,
        toml: &["effect"],
        json: &[],
        kind: EFFECTS,
        default: || "`unknown`".into(),
        doc: "What the tool does.",
    },
    Key {
        id: ExampleKey::Decision,
        toml: &["decision"],
        json: &[],
        kind: WORDS,
        default: must,
        doc: "The expected decision of all rules together.",
    },
];

fn must() -> String {
    "must be given".into()
}

fn any() -> String {
    "any".into()
}

fn beside() -> String {
    "`policy.toml` beside this file, else in the user's configuration folder".into()
}

fn word(word: Decision) -> String {
    format!("`{word}`")
}
