//! The attack suite: a compromised worker in the real jail, under the real gateway.
//!
//! The attacker (`examples/attacker`) makes the raw system calls that a program could
//! make after it has taken over the engine. Every attempt is also made outside: it must
//! be possible there, or its refusal would prove nothing. As root all of it is done
//! twice, the second time as an unprivileged user.
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
