//! What must not compile: sending a client what was not redacted.
//!
//! Each file of `compile_fail` makes one claim; beside it is what the compiler says.

#[test]
fn only_what_is_shown_can_be_sent() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
