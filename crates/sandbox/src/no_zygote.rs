//! Systems where no process can be forked into a jail: there is never a zygote, and each
//! guest is started.

use std::convert::Infallible;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;

use tidegate_jail::Spec;
use tidegate_model::Isolation;
use tokio::net::UnixStream;

use crate::leader::Leader;
use crate::process::Launch;

#[derive(Default)]
pub(crate) struct Zygotes(());

impl Zygotes {
    pub(crate) fn must_hold_like(&self, _: Isolation) {}

    pub(crate) fn one(&self, _: impl FnOnce() -> Start) -> Option<(Arc<Zygote>, Isolation)> {
        None
    }

    pub(crate) fn give_up(&self, lost: &Arc<Zygote>, _: &dyn std::fmt::Display) {
        match lost.0 {}
    }
}

pub(crate) struct Start;

impl Start {
    pub(crate) fn python(_: &Launch<'_>, _: &[u8]) -> Self {
        Self
    }

    pub(crate) fn readers(_: &Launch<'_>) -> Self {
        Self
    }
}

pub(crate) struct Zygote(Infallible);

impl Zygote {
    pub(crate) async fn fork(self: &Arc<Self>, _: &Spec) -> io::Result<(Leader, UnixStream)> {
        match self.0 {}
    }
}

pub(crate) struct Born(Infallible);

impl Born {
    pub(crate) fn number(&self) -> Option<i32> {
        match self.0 {}
    }

    pub(crate) fn has_ended(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn kill(&self) {
        match self.0 {}
    }

    pub(crate) async fn wait(&mut self) -> ExitStatus {
        match self.0 {}
    }
}
