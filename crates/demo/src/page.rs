//! Lists that are too long for one answer.
//!
//! A cursor names the last item that was sent, not a position: a client that
//! closes issues while it pages through the open ones misses none.

use super::server::Refusal;

/// The argument that takes a cursor.
pub(crate) const CURSOR_ARGUMENT: &str = "cursor";

/// The key of a page that holds the cursor of the next one; absent on the last.
pub(crate) const NEXT_CURSOR: &str = "next_cursor";

/// One part of a list.
pub(crate) struct Page<'a, T> {
    pub(crate) items: Vec<&'a T>,
    pub(crate) next_cursor: Option<String>,
}

/// Where a page starts and how long it may be.
pub(crate) struct Window {
    after: usize,
    limit: usize,
}

impl Window {
    /// Checks what the client asked for.
    pub(crate) fn new(
        cursor: Option<&str>,
        limit: Option<usize>,
        largest: usize,
    ) -> Result<Self, Refusal> {
        let limit = limit.unwrap_or(largest);
        if !(1..=largest).contains(&limit) {
            return Err(Refusal::failed(format!(
                "`limit` must be between 1 and {largest}, got {limit}"
            )));
        }
        let after = match cursor {
            None => 0,
            Some(text) => text
                .strip_prefix("after-")
                .and_then(|number| number.parse().ok())
                .ok_or_else(|| {
                    Refusal::failed(format!(
                        "`cursor` must be a `{NEXT_CURSOR}` from an earlier answer, got `{text}`"
                    ))
                })?,
        };
        Ok(Self { after, limit })
    }

    /// Cuts the page out of `matching`, which must be sorted by `number`.
    pub(crate) fn cut<'a, T>(
        &self,
        matching: impl Iterator<Item = &'a T>,
        number: fn(&T) -> usize,
    ) -> Page<'a, T> {
        let mut rest = matching.filter(|item| number(item) > self.after);
        let items: Vec<&T> = rest.by_ref().take(self.limit).collect();
        let more = rest.next().is_some();
        let last = items.last().filter(|_| more).map(|item| number(item));
        Page { items, next_cursor: last.map(|number| format!("after-{number}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn pages_join_to_the_whole_list() {
        let list: Vec<usize> = (1..=7).collect();
        let (mut joined, mut cursor) = (Vec::new(), None);
        loop {
            let window = Window::new(cursor.as_deref(), Some(3), 5).unwrap();
            let page = window.cut(list.iter(), |item| *item);
            joined.extend(page.items.into_iter().copied());
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(joined, list);
    }

    #[test]
    fn a_full_last_page_has_no_next_cursor() {
        let list = [1, 2, 3];
        let page = Window::new(None, Some(3), 5).unwrap().cut(list.iter(), |item| *item);
        assert_eq!(page.next_cursor, None);
    }

    #[test]
    fn a_limit_or_cursor_out_of_range_is_refused() {
        let refused = |cursor, limit| Window::new(cursor, limit, 5).err().unwrap().text("list");
        assert_eq!(refused(None, Some(6)), "`limit` must be between 1 and 5, got 6");
        assert_eq!(refused(None, Some(0)), "`limit` must be between 1 and 5, got 0");
        assert_eq!(
            refused(Some("x"), None),
            "`cursor` must be a `next_cursor` from an earlier answer, got `x`"
        );
    }
}
