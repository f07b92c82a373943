//! From positions in generated code to positions in the program as written.

use oxc::codegen::CodegenReturn;

/// Positions of generated code, sorted, each with its origin. Lines and columns
/// count from 0 here and from 1 in [`SourceMap::origin`].
#[derive(Debug, Default)]
pub(crate) struct SourceMap(Vec<Mapping>);

#[derive(Debug, Clone, Copy)]
struct Mapping {
    generated: (u32, u32),
    origin: (u32, u32),
}

impl SourceMap {
    /// Copies what is needed out of oxc's map.
    pub(crate) fn new(generated: &CodegenReturn<'_>) -> Self {
        let Some(map) = &generated.map else { return Self::default() };
        let mut mappings: Vec<Mapping> = map
            .get_tokens()
            .filter(|token| token.get_source_id().is_some())
            .map(|token| Mapping {
                generated: (token.get_dst_line(), token.get_dst_col()),
                origin: (token.get_src_line(), token.get_src_col()),
            })
            .collect();
        mappings.sort_by_key(|mapping| mapping.generated);
        Self(mappings)
    }

    /// Line and column in the program for a line and column of generated code,
    /// all counted from 1.
    pub(crate) fn origin(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        let wanted = (line.checked_sub(1)?, column.saturating_sub(1));
        let after = self.0.partition_point(|mapping| mapping.generated <= wanted);
        let mapping = self.0.get(after.checked_sub(1)?)?;
        Some((mapping.origin.0 + 1, mapping.origin.1 + 1))
    }
}
