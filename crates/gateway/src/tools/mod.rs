//! Tools: what servers offer, how it is found, and what has changed.

pub(crate) mod acceptance;
pub(crate) mod contents;
pub(crate) mod discovery;
pub(crate) mod known;
pub(crate) mod recommend;
pub(crate) mod search;
pub(crate) mod shapes;
pub(crate) mod together;
pub(crate) mod unaccepted;
pub(crate) mod view;
pub(crate) mod wider;
