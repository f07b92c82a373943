//! Code that must not compile: sending a client something that was not redacted.
//!
//! Each file in `compile_fail` makes one claim; the compiler's output is beside it.

#[test]
fn only_what_is_shown_can_be_sent() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
