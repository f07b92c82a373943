//! The limits on what runs may do.

use tidegate_model::{CommandSpec, EffectOverrides, OnChange, Profile};

/// The limits on what runs may do.
#[derive(Clone, Debug, PartialEq)]
pub struct Permissions {
    /// The name of the profile that bounds every run.
    pub profile: String,
    /// Every profile, the built-in ones first.
    pub profiles: Vec<Profile>,
    /// The effects of tools, as the user declares them.
    pub tools: EffectOverrides,
    /// What happens to a tool that differs from its accepted version.
    pub on_change: OnChange,
    /// Commands of the host.
    pub commands: Vec<CommandSpec>,
}

impl Default for Permissions {
    /// Every tool of the configured servers, and no command.
    fn default() -> Self {
        Self {
            profile: Profile::DEFAULT.into(),
            profiles: Profile::built_in().into(),
            tools: EffectOverrides::default(),
            on_change: OnChange::default(),
            commands: Vec::new(),
        }
    }
}
