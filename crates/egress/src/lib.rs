//! Every connection that a program makes, and nothing else makes one for it.
//!
//! In: a [`Request`] as a program wrote it. Out: a [`Response`], or why there is
//! none, and one [`Connection`](tidegate_model::Connection) for each hop, also
//! for those that were refused.
//!
//! A hop goes one way: text → [`Target`] (`target.rs`) → rules (`rules.rs`) →
//! rate (`rate.rs`) → addresses (`resolve.rs`, `address.rs`) → connection
//! (`connect.rs`) → body (`unpack.rs`). A redirect starts again at the text.
//!
//! Invariants: what is dialled is an address that was checked, for the host that
//! was judged, from the one parse of the URL; there is no second lookup. What a
//! program is told never has an address that it did not write itself.
//! [`judge_url`] and [`Rules::judge_address`] decide without any I/O.

mod address;
mod attempt;
mod client;
mod connect;
mod counted;
mod error;
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

pub use address::{AddressClass, classify};
pub use client::{Egress, Record, Response};
pub use error::{EgressError, Kind, OpenError};
pub use request::{Redirect, Request, RequestProblem};
pub use resolve::{Addresses, Resolve, SystemResolver};
pub use rules::{AddressRefusal, Denial, Permitted, Refusal, Rules, judge_url};
pub use target::{Target, TargetProblem};
