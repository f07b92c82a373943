//! Extracts the line map from the source map of oxc.
//!
//! In: generated code. Out: the original line of each piece.

use oxc::codegen::CodegenReturn;
use tidegate_model::{LineMap, LineMapping};

/// The origin of each piece of the generated code.
pub(crate) fn line_map(generated: &CodegenReturn<'_>) -> LineMap {
    let Some(map) = &generated.map else { return LineMap::default() };
    let mappings =
        map.get_tokens().filter(|token| token.get_source_id().is_some()).map(|token| LineMapping {
            generated: (token.get_dst_line(), token.get_dst_col()),
            origin: (token.get_src_line(), token.get_src_col()),
        });
    LineMap::new(mappings.collect())
}
