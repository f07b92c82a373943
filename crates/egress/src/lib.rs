//! Makes the network connections of programs; no other code connects for them.
//!
//! In: a [`Request`] as a program wrote it. Out: a [`Response`] or an error, and one
//! [`Connection`](tidegate_model::Connection) record for each hop, including refused ones.
//!
//! A hop goes one way: text → [`Target`] (`target.rs`) → rules (`rules.rs`) →
//! rate (`rate.rs`) → addresses (`resolve.rs`, `judge_address.rs`) → connection
//! (`connect.rs`) → body (`unpack.rs`). A redirect starts again at the text.
//!
//! Invariants: only checked addresses are dialled, for the host that the rules judged, from
//! a single parse of the URL; there is no second lookup. A program never sees an address
//! that it did not write itself.
//! [`judge_url`] and [`Rules::judge_address`] decide without any I/O.

mod address_class;
mod attempt;
mod client;
mod connect;
mod counted;
mod error;
mod judge_address;
mod own;
mod rate;
mod redirect;
mod request;
mod resolve;
mod rules;
mod target;
mod tls;
mod unpack;
mod volume;

pub use address_class::{AddressClass, classify};
pub use attempt::ConnectionRecorder;
pub use client::{Egress, Response};
pub use error::{EgressError, EgressErrorKind, OpenError};
pub use judge_address::AddressRefusal;
pub use request::{Redirect, Request, RequestProblem};
pub use resolve::{Addresses, Resolve, SystemResolver};
pub use rules::{Denial, Permitted, Refusal, Rules, judge_url};
pub use target::{Target, TargetProblem};
