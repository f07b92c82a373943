//! Imports, and which of them are certain to run.

use crate::prepare;

fn found(source: &str) -> Vec<String> {
    let shown = |import: &super::Import| {
        let sure = if import.is_sure { "" } else { " perhaps" };
        format!("{} at {}:{}{sure}", import.module, import.line, import.column)
    };
    prepare(source).unwrap().python.imports.iter().map(shown).collect()
}

#[test]
fn modules_are_reported_once_by_their_root() {
    let source = "import os.path, json as j\nfrom collections.abc import Mapping\nimport json\n\
                  from servers import crm\nimport servers.drive\nfrom . import x\n";
    assert_eq!(found(source), ["os at 1:1", "json at 1:1", "collections at 2:1"]);
}

#[test]
fn conditional_imports_are_not_certain() {
    for source in [
        "try:\n    import pandas\nexcept ImportError:\n    pass",
        "def f():\n    import pandas",
        "if x:\n    import pandas",
        "class A:\n    import pandas",
        "with x:\n    import pandas",
        "return 1\nimport pandas",
        "raise SystemExit\nimport pandas",
        "exit()\nimport pandas",
        "if x:\n    quit()\nimport pandas",
    ] {
        let found = found(source);
        assert!(found[0].ends_with(" perhaps"), "{source}: {found:?}");
    }
}

#[test]
fn after_changes_to_the_import_path_no_import_is_certain() {
    for source in [
        "import sys\nsys.path.insert(0, '/workspace')\nimport mine",
        "import sys\nsys.modules['mine'] = x\nimport mine",
        "from sys import path\nimport mine",
        "import importlib\nimport mine",
        "exec(code)\nimport mine",
        "__import__('x')\nimport mine",
    ] {
        let found = found(source);
        assert!(found[found.len() - 1].ends_with(" perhaps"), "{source}: {found:?}");
    }
    assert_eq!(found("import os\nos.path.join('a')\nimport x"), ["os at 1:1", "x at 3:1"]);
}
