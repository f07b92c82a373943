//! The attack suite: a worker that has fallen, in the real jail, under the real
//! gateway.
//!
//! The attacker (`examples/attacker`) does with raw system calls what a program
//! could do that has taken over the engine. Every attempt is made outside as well:
//! it must be possible there, or its refusal would prove nothing. As root all of it
//! is done twice, the second time as a user without rights.
//!
//! Each guarantee of `docs/guarantees.md` has a test with its number.

pub(crate) mod attacker;
mod beside;
mod grants;
mod guarantees;
mod levels;
mod limits;
mod survivors;
mod walls;
