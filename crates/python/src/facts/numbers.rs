//! Arithmetic on numbers that are written out, and sizes that no program needs.
//!
//! In: two numbers and an operator. Out: the number; beyond what is exact here, its
//! magnitude. Floats stand for those: rules only ask how large something is.

use ruff_python_ast::Operator;

use super::value::{Kind, Value};

/// Elements of a text or list that are too many. Chosen: 50 MB at least, which is
/// more than any result may have.
pub(super) const LARGE_SIZE: f64 = 5e7;

/// Bits of a number that are too many. Chosen: it takes Python seconds to make it,
/// and minutes to print it.
const LARGE_BITS: f64 = 1e7;

/// What an operator makes of two numbers, and the size in bits of a number that is
/// too large.
pub(super) fn of_numbers<'a>(
    left: &Kind<'a>,
    operator: Operator,
    right: &Kind<'a>,
) -> Option<(Value<'a>, Option<f64>)> {
    let number = match (left, right) {
        (Kind::Int(left), Kind::Int(right)) => exact(*left, operator, *right),
        _ => None,
    };
    if let Some(number) = number {
        return Some((Value::of(Kind::Int(number)), None));
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
    Some((Value::of(Kind::Float(number)), (bits >= LARGE_BITS).then_some(bits)))
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

/// How large a number is.
#[expect(clippy::cast_precision_loss, reason = "a size is not exact")]
pub(super) fn magnitude(kind: &Kind<'_>) -> Option<f64> {
    match kind {
        Kind::Int(number) => Some(*number as f64),
        Kind::Float(number) => Some(*number),
        Kind::Flag(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}
