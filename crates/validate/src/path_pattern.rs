//! Patterns for paths.
//!
//! In: a pattern and a path. Out: whether they match. `*` matches any text without a dot,
//! `**` any number of names, including none. `fs.*Sync` matches `fs.rmSync`, `os.**` matches
//! `os` and everything in it, `**.__proto__` matches a member of that name anywhere.
//! Matching takes at most path length times pattern length: only the last `**` backtracks.

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`
    Any,
    Literal(String),
    /// Pieces between `*`.
    Pieces(Vec<String>),
}

impl PathPattern {
    /// Parses a pattern; nothing if it is empty or contains an empty name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let segments: Vec<Segment> = text.split('.').map(segment).collect::<Option<_>>()?;
        Some(Self { segments })
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('.').collect();
        let (mut at, mut name) = (0, 0);
        // Where to retry if the part after the last `**` does not match.
        let mut retry: Option<(usize, usize)> = None;
        while name < names.len() {
            match self.segments.get(at) {
                Some(Segment::Any) => {
                    retry = Some((at, name));
                    at += 1;
                    continue;
                }
                Some(segment) if segment.matches(names[name]) => {
                    (at, name) = (at + 1, name + 1);
                    continue;
                }
                Some(_) | None => {}
            }
            let Some((any, from)) = retry else { return false };
            retry = Some((any, from + 1));
            (at, name) = (any + 1, from + 1);
        }
        self.segments[at..].iter().all(|segment| *segment == Segment::Any)
    }

    /// The path, if the pattern matches only one.
    pub(crate) fn exact(&self) -> Option<String> {
        let names: Option<Vec<&str>> = self.segments.iter().map(Segment::literal).collect();
        names.map(|names| names.join("."))
    }

    /// The name that every matching path starts with.
    pub(crate) fn first(&self) -> Option<&str> {
        self.segments.first().and_then(Segment::literal)
    }

    /// Whether a path contains the longest literal name of the pattern: a quick pre-check.
    pub(crate) fn may_match(&self, path: &str) -> bool {
        let names = self.segments.iter().filter_map(Segment::literal);
        names.max_by_key(|name| name.len()).is_none_or(|name| path.contains(name))
    }

    /// The name that every matching path ends with.
    pub(crate) fn last(&self) -> Option<&str> {
        self.segments.last().and_then(Segment::literal)
    }
}

fn segment(text: &str) -> Option<Segment> {
    match text {
        "" => None,
        "**" => Some(Segment::Any),
        text if text.contains('*') => {
            Some(Segment::Pieces(text.split('*').map(str::to_owned).collect()))
        }
        text => Some(Segment::Literal(text.to_owned())),
    }
}

impl Segment {
    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Any | Self::Pieces(_) => None,
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(text) => text == name,
            Self::Pieces(pieces) => matches_pieces(pieces, name),
        }
    }
}

/// Whether a name consists of these pieces with anything between them.
fn matches_pieces(pieces: &[String], name: &str) -> bool {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let Some(rest) = name.strip_prefix(first.as_str()) else { return false };
    let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
    for piece in &pieces[1..pieces.len() - 1] {
        match rest.find(piece.as_str()) {
            Some(found) => rest = &rest[found + piece.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::PathPattern;

    fn matching(pattern: &str, paths: &[&str]) -> Vec<String> {
        let pattern = PathPattern::parse(pattern).unwrap();
        paths.iter().filter(|path| pattern.matches(path)).map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn one_star_stays_within_a_name_and_two_span_names() {
        let paths = ["fs", "fs.rm", "fs.rmSync", "fs.promises.rm", "?.rm", "os.rm"];
        assert_eq!(matching("fs.rm", &paths), ["fs.rm"]);
        assert_eq!(matching("fs.*Sync", &paths), ["fs.rmSync"]);
        assert_eq!(matching("fs.*", &paths), ["fs.rm", "fs.rmSync"]);
        assert_eq!(matching("fs.**", &paths), ["fs", "fs.rm", "fs.rmSync", "fs.promises.rm"]);
        assert_eq!(matching("**.rm", &paths), ["fs.rm", "fs.promises.rm", "?.rm", "os.rm"]);
        assert_eq!(matching("fs.**.rm", &paths), ["fs.rm", "fs.promises.rm"]);
    }

    #[test]
    fn several_stars_and_names_match_anywhere() {
        let paths = ["a.__proto__", "a.__proto__.b.c", "__proto__", "a.b", "a.xx__proto__"];
        assert_eq!(
            matching("**.__proto__.**", &paths),
            ["a.__proto__", "a.__proto__.b.c", "__proto__"]
        );
        assert_eq!(matching("*.*o*o*", &paths), ["a.__proto__", "a.xx__proto__"]);
        assert_eq!(matching("*b*b*", &["b", "bb", "abcb"]), ["bb", "abcb"]);
    }

    #[test]
    fn an_empty_name_is_invalid() {
        for text in ["", ".", "a.", ".a", "a..b"] {
            assert!(PathPattern::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_hostile_path_takes_at_most_its_length_times_the_pattern_length() {
        let path = "a.".repeat(20_000) + "b";
        let pattern = PathPattern::parse("**.a.a.a.**.a.a.c.**.b.b").unwrap();
        assert!(!pattern.matches(&path));
    }
}
