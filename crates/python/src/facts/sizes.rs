//! Calls that create something larger than any program needs.
//!
//! In: calls with their arguments. Out: `bulk` facts, and facts about what a format string
//! accesses.

use ruff_text_size::TextSize;

use super::arguments::Arguments;
use super::evaluator::Evaluator;
use super::iteration::iteration_count;
use super::numbers::{LARGE_SIZE, magnitude};
use super::value::{Value, ValueKind};

impl<'a> Evaluator<'_, 'a> {
    /// `'x'.ljust(10**9)`
    pub(super) fn record_padding(
        &mut self,
        owner: &Value<'a>,
        name: &str,
        given: &Arguments<'a>,
        at: TextSize,
    ) {
        let pads = matches!(name, "ljust" | "rjust" | "center" | "zfill");
        let width = given.positional.first().and_then(|one| magnitude(&one.kind));
        let is_text = !matches!(owner.kind, ValueKind::Path(_));
        if let Some(width) = width.filter(|width| pads && is_text && *width >= LARGE_SIZE) {
            self.record_bulk("text", width, at);
        }
    }

    /// `'{0.__globals__}'.format(f)`: accesses members named in a text.
    pub(super) fn record_format(&mut self, text: &str, at: TextSize) {
        for field in text.split('{').skip(1) {
            let width = field.split('}').next().unwrap_or_default();
            self.record_width(&Value::text(width), at);
            let field = field.split(['}', ':', '!']).next().unwrap_or_default();
            for name in field.split(['.', '[', ']']).skip(1) {
                self.member(&Value::unknown(), name, at);
            }
        }
    }

    /// Sizes given as a number: `bytearray(10**10)`.
    pub(super) fn record_size(&mut self, path: &str, arguments: &Arguments<'a>, at: TextSize) {
        let number = |at: usize| arguments.positional.get(at).and_then(|one| magnitude(&one.kind));
        let (what, size) = match path {
            "bytes"
            | "bytearray"
            | "os.urandom"
            | "random.randbytes"
            | "secrets.token_bytes"
            | "ctypes.create_string_buffer" => ("text", number(0)),
            "numpy.zeros" | "numpy.ones" | "numpy.empty" | "numpy.full" | "numpy.arange" => {
                let shape = arguments.positional.first().map(|one| &one.kind);
                let product = |list: &[Value<'a>]| {
                    list.iter().map(|one| magnitude(&one.kind)).product::<Option<f64>>()
                };
                let size = match shape {
                    Some(ValueKind::List(list)) => product(list),
                    Some(kind) => magnitude(kind),
                    None => None,
                };
                ("list", size)
            }
            "math.factorial" => {
                ("number", number(0).filter(|size| *size >= 1e6).map(|size| size * 1e3))
            }
            "pow" if arguments.positional.len() == 2 => {
                let bits = number(0)
                    .zip(number(1))
                    .map(|(base, exponent)| exponent * base.abs().max(1.0).log2());
                ("number", bits.filter(|bits| *bits >= 1e7).map(|bits| bits.max(LARGE_SIZE)))
            }
            "list"
            | "tuple"
            | "set"
            | "frozenset"
            | "sorted"
            | "sum"
            | "max"
            | "min"
            | "len"
            | "dict"
            | "collections.deque"
            | "collections.Counter"
            | "str.join" => {
                // `str.join(between, all)`: the last argument is consumed.
                let all = arguments.positional.last();
                self.record_drained(all.and_then(iteration_count), at);
                ("list", all.and_then(iteration_count))
            }
            _ => return,
        };
        if let Some(size) = size.filter(|size| *size >= LARGE_SIZE) {
            self.record_bulk(what, size, at);
        }
    }
}
