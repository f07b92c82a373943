//! Arithmetic on known numbers, and sizes that no program needs.
//!
//! In: two numbers and an operator. Out: the result; beyond what is exact here, its magnitude
//! as a float, since rules only compare sizes.

use ruff_python_ast::Operator;

use super::value::{Value, ValueKind};

/// A text or list of this size is too large. Chosen: at least 50 MB, which is more than any
/// result may have.
pub(super) const LARGE_SIZE: f64 = 5e7;

/// A number of this many bits is too large. Chosen: Python takes seconds to compute it and
/// minutes to print it.
const LARGE_BITS: f64 = 1e7;

/// The result of an operator on two numbers, and its size in bits if it is too large.
pub(super) fn arithmetic<'a>(
    left: &ValueKind<'a>,
    operator: Operator,
    right: &ValueKind<'a>,
) -> Option<(Value<'a>, Option<f64>)> {
    let number = match (left, right) {
        (ValueKind::Int(left), ValueKind::Int(right)) => exact(*left, operator, *right),
        _ => None,
    };
    if let Some(number) = number {
        return Some((Value::of(ValueKind::Int(number)), None));
    }
    let (left, right) = (magnitude(left)?, magnitude(right)?);
    let bits = match operator {
        Operator::Pow => right * left.abs().max(1.0).log2(),
        Operator::LShift => right,
        _ => 0.0,
    };
    let number = match operator {
        Operator::Add => left + right,
        Operator::Sub => left - right,
        Operator::Mult => left * right,
        Operator::Div | Operator::FloorDiv if right != 0.0 => left / right,
        Operator::Pow => left.powf(right),
        Operator::LShift => left * right.exp2(),
        _ => return None,
    };
    let number = if number.is_nan() { f64::INFINITY } else { number };
    Some((Value::of(ValueKind::Float(number)), (bits >= LARGE_BITS).then_some(bits)))
}

fn exact(left: i128, operator: Operator, right: i128) -> Option<i128> {
    let shift = u32::try_from(right).ok();
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Sub => left.checked_sub(right),
        Operator::Mult => left.checked_mul(right),
        Operator::FloorDiv => {
            let remainder = left.checked_rem_euclid(right)?;
            let floored = if right < 0 && remainder != 0 { remainder + right } else { remainder };
            left.checked_sub(floored)?.checked_div(right)
        }
        Operator::Mod => {
            let remainder = left.checked_rem_euclid(right)?;
            Some(if right < 0 && remainder != 0 { remainder + right } else { remainder })
        }
        Operator::Pow => left.checked_pow(shift?),
        Operator::LShift => {
            let shifted = left.checked_shl(shift?)?;
            (shifted >> shift? == left).then_some(shifted)
        }
        Operator::RShift => left.checked_shr(shift?),
        Operator::BitOr => Some(left | right),
        Operator::BitXor => Some(left ^ right),
        Operator::BitAnd => Some(left & right),
        Operator::Div | Operator::MatMult => None,
    }
}

/// The magnitude of a number.
#[expect(clippy::cast_precision_loss, reason = "a size is not exact")]
pub(super) fn magnitude(kind: &ValueKind<'_>) -> Option<f64> {
    match kind {
        ValueKind::Int(number) => Some(*number as f64),
        ValueKind::Float(number) => Some(*number),
        ValueKind::Flag(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}
