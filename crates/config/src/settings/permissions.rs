//! What runs may do at most.

use tidegate_model::{CommandSpec, EffectOverrides, OnChange, Profile};

/// What runs may do at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Permissions {
    /// The name of the profile that bounds every run.
    pub profile: String,
    /// Every profile, the built-in ones first.
    pub profiles: Vec<Profile>,
    /// What tools do, as the user says.
    pub tools: EffectOverrides,
    /// What happens to a tool that is not as it was accepted.
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
