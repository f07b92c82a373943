use tidegate_model::{Clock, ToolRef};

use super::ShapeRecord;
use crate::Store;

#[test]
fn the_newest_shape_of_each_tool_is_stored_until_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (read, write) = (ToolRef::new("files", "read"), ToolRef::new("files", "write"));
    let shape = |results| ShapeRecord {
        definition_hash: "00".into(),
        results,
        shape: format!("{{\"results\":{results}}}"),
    };
    let reopened = || Store::open(folder.path(), Clock::system()).unwrap().shapes();
    let shapes = reopened();
    shapes.set(read.clone(), shape(1));
    shapes.set(write.clone(), shape(1));
    shapes.set(read.clone(), shape(2));
    drop(shapes);
    let expected = [(read.clone(), shape(2)), (write.clone(), shape(1))];
    assert_eq!(reopened().all().wait().unwrap(), expected);
    reopened().remove(write);
    assert_eq!(reopened().all().wait().unwrap(), [(read, shape(2))]);
}
