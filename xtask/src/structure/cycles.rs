//! Finds modules that use each other in a cycle.
//!
//! In: the uses between the modules of a crate. Out: a finding for each group of modules
//! that cannot be ordered, with its shortest cycle. A module and those below it are one
//! concept, so uses between them do not count. Each child of a module represents
//! everything below it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;
use super::modules::{Crate, ModulePath, Use};

/// For one parent: from child to child, each with a use that proves it.
type Graph<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a Use>>;

pub(crate) fn find(read: &Crate) -> Vec<Finding> {
    find_in(&read.uses())
}

fn find_in(uses: &[Use]) -> Vec<Finding> {
    let mut graphs: BTreeMap<&[String], Graph<'_>> = BTreeMap::new();
    for one in uses {
        let Some((parent, from, to)) = siblings(&one.from, &one.to) else { continue };
        let graph = graphs.entry(parent).or_default();
        graph.entry(from).or_default().entry(to).or_insert(one);
    }
    graphs.values().flat_map(find_in_graph).collect()
}

/// The closest module above both, and its children above each. `None` if one of the two
/// is above the other.
fn siblings<'a>(
    from: &'a ModulePath,
    to: &'a ModulePath,
) -> Option<(&'a [String], &'a str, &'a str)> {
    let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
    Some((&from[..common], from.get(common)?, to.get(common)?))
}

fn find_in_graph(graph: &Graph<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in graph.keys() {
        if done.contains(start) {
            continue;
        }
        let group: BTreeSet<&str> = reachable(graph, start)
            .into_iter()
            .filter(|other| reachable(graph, other).contains(start))
            .collect();
        done.extend(&group);
        if group.is_empty() {
            continue;
        }
        let circles = group.iter().filter_map(|start| shortest_circle(graph, start));
        if let Some(circle) = circles.min_by_key(Vec::len) {
            findings.push(finding(&circle, &group));
        }
    }
    findings
}

/// Everything that can be reached by at least one use.
fn reachable<'a>(graph: &Graph<'a>, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(module) = waiting.pop() {
        for &next in graph.get(module).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached
}

fn shortest_circle<'a>(graph: &Graph<'a>, start: &'a str) -> Option<Vec<&'a Use>> {
    let mut ways: BTreeMap<&str, Vec<&'a Use>> = BTreeMap::from([(start, Vec::new())]);
    let mut waiting = VecDeque::from([start]);
    while let Some(module) = waiting.pop_front() {
        for (&next, &one) in graph.get(module).into_iter().flatten() {
            let mut way = ways.get(module).cloned().unwrap_or_default();
            way.push(one);
            if next == start {
                return Some(way);
            }
            if !ways.contains_key(next) {
                ways.insert(next, way);
                waiting.push_back(next);
            }
        }
    }
    None
}

fn finding(circle: &[&Use], group: &BTreeSet<&str>) -> Finding {
    let mut text = "modules use each other in a cycle".to_owned();
    for one in circle {
        text += &format!(
            "\n    {}:{}: `{}` uses `{}` (`{}`)",
            one.file,
            one.line,
            one.from.join("::"),
            one.to.join("::"),
            one.written
        );
    }
    if group.len() > circle.len() {
        let names: Vec<&str> = group.iter().copied().collect();
        text +=
            &format!("\n    {} modules are tied together: `{}`", group.len(), names.join("`, `"));
    }
    text +=
        "\n    hint: move what both need into a module below them, or one of the uses to a caller";
    Finding { path: circle[0].file.clone(), line: circle[0].line, text }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::structure::Finding;
    use crate::structure::modules::Crate;
    use crate::structure::source::Sources;

    fn findings(files: &[(&str, &str)]) -> Vec<Finding> {
        let sources = Sources::of(files);
        find(&Crate::read(&sources, "crates/a/src/lib.rs").unwrap())
    }

    #[test]
    fn modules_in_order_are_fine() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;\nmod three;\npub use three::Z;"),
            ("crates/a/src/one.rs", "use crate::two::X;\nuse crate::Z;"),
            ("crates/a/src/two.rs", "mod below;\nuse crate::three::Z;\npub struct X;"),
            // A child may use its parent, and the parent the child.
            ("crates/a/src/two/below.rs", "use super::X;\nuse crate::three::Z;"),
            ("crates/a/src/three.rs", "pub struct Z;"),
        ];
        assert_eq!(findings(&files), []);
    }

    #[test]
    fn two_modules_that_use_each_other_are_a_cycle() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;"),
            ("crates/a/src/one.rs", "pub struct X;\nuse crate::two::Y;"),
            ("crates/a/src/two.rs", "pub struct Y;\nfn f(x: super::one::X) {}"),
        ];
        let text = "modules use each other in a cycle\
                    \n    crates/a/src/one.rs:2: `one` uses `two` (`crate::two::Y`)\
                    \n    crates/a/src/two.rs:2: `two` uses `one` (`super::one::X`)\
                    \n    hint: move what both need into a module below them, or one of the uses to a caller";
        let expected =
            Finding { path: "crates/a/src/one.rs".to_owned(), line: 2, text: text.to_owned() };
        assert_eq!(findings(&files), [expected]);
    }

    #[test]
    fn a_folder_stands_for_all_of_its_files() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;"),
            ("crates/a/src/one.rs", "mod deep;\nmod other;"),
            ("crates/a/src/one/deep.rs", "use crate::two::Y;"),
            ("crates/a/src/one/other.rs", "pub struct X;"),
            ("crates/a/src/two.rs", "pub struct Y;\nuse crate::one::other::X;"),
        ];
        let places: Vec<(String, usize)> =
            findings(&files).into_iter().map(|one| (one.path, one.line)).collect();
        assert_eq!(places, [("crates/a/src/one/deep.rs".to_owned(), 1)]);
    }

    #[test]
    fn a_cycle_through_a_re_export_is_found() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;\npub use two::Y;"),
            ("crates/a/src/one.rs", "pub struct X;\nuse crate::Y;"),
            ("crates/a/src/two.rs", "pub struct Y;\nuse crate::one::X;"),
        ];
        assert_eq!(findings(&files).len(), 1);
    }

    #[test]
    fn a_larger_group_is_one_finding_with_its_shortest_circle() {
        let files = [
            ("crates/a/src/lib.rs", "mod one;\nmod two;\nmod three;"),
            ("crates/a/src/one.rs", "pub struct X;\nuse crate::two::Y;"),
            ("crates/a/src/two.rs", "pub struct Y;\nuse crate::three::Z;\nuse crate::one::X;"),
            ("crates/a/src/three.rs", "pub struct Z;\nuse crate::one::X;"),
        ];
        let found = findings(&files);
        assert_eq!(found.len(), 1);
        let tied = "    3 modules are tied together: `one`, `three`, `two`";
        assert_eq!(found[0].text.lines().nth(3), Some(tied));
    }
}
