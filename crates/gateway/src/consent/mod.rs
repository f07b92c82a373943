//! Consent: the rules and the person decide whether a judged program runs, and where.

pub(crate) mod approval_form;
pub(crate) mod approvals;
pub(crate) mod parking;
pub(crate) mod person;
pub(crate) mod stage;
