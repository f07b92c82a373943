//! Tests that a call without a permit of its own does not compile.
//!
//! Each file of `compile_fail` makes one claim; the expected compiler output is beside it.

#[test]
fn a_permit_is_neither_forged_nor_used_twice() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
