//! The interface of `zygote.rs` for systems where no process can be forked into a jail.
//!
//! In: ignored. Out: there is never a zygote, so no guest is forked.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use tidegate_jail::Spec;
use tidegate_model::Isolation;
use tokio::net::UnixStream;

use crate::launch::Launch;
use crate::launcher::Launcher;

#[derive(Default)]
pub(crate) struct ZygotePool(());

impl ZygotePool {
    pub(crate) fn require_isolation(&self, _: Isolation) {}

    pub(crate) fn current(
        &self,
        _: impl FnOnce() -> ZygoteLaunch,
    ) -> Option<(Arc<Zygote>, Isolation)> {
        None
    }

    pub(crate) fn discard(&self, lost: &Arc<Zygote>, _: &dyn std::fmt::Display) {
        match lost.0 {}
    }
}

pub(crate) struct ZygoteLaunch;

impl ZygoteLaunch {
    pub(crate) fn python(_: &Launch<'_>, _: &[u8]) -> Self {
        Self
    }

    pub(crate) fn readers(_: &Launch<'_>) -> Self {
        Self
    }
}

pub(crate) struct Zygote(Infallible);

impl Zygote {
    pub(crate) async fn fork(self: &Arc<Self>, _: &Spec) -> io::Result<(Launcher, UnixStream)> {
        match self.0 {}
    }
}
