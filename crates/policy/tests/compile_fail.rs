//! What must not compile: a call without a permit of its own.
//!
//! Each file of `compile_fail` makes one claim; beside it is what the compiler says.

#[test]
fn a_permit_is_neither_forged_nor_used_twice() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
