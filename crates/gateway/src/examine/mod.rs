//! Examination: a program is read, type-checked and judged before it may run.

pub(crate) mod check;
pub(crate) mod inspect;
pub(crate) mod judge;
pub(crate) mod missing_modules;
pub(crate) mod patterns;
pub(crate) mod python_types;
pub(crate) mod stage;
pub(crate) mod type_check;
pub(crate) mod type_verdict;
