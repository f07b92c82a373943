//! Our own files beside a TypeScript program: the globals and a tsconfig.

use serde_json::{Value, json};

const GLOBALS: &str = include_str!("globals.d.ts");
/// The file of a program.
pub(crate) const PROGRAM: &str = "program.ts";

/// The files with their texts.
pub(crate) fn typescript_files() -> Vec<(&'static str, String)> {
    vec![
        ("globals.d.ts", GLOBALS.to_owned()),
        ("tsconfig.json", tsconfig().to_string()),
        // Stops the compiler from searching the folders above for one.
        ("package.json", r#"{"type":"module"}"#.to_owned()),
    ]
}

fn tsconfig() -> Value {
    json!({
        "compilerOptions": {
            "strict": true,
            // Errors about implicit `any` are not reported (see `diagnostic`), but the option
            // must be on: without it `const list = []` is a list of `never`.
            "noImplicitAny": true,
            "useUnknownInCatchVariables": false,
            "target": "es2022",
            // What the engine supports; no DOM.
            "lib": ["es2025", "esnext.disposable"],
            "module": "esnext",
            "moduleResolution": "bundler",
            "moduleDetection": "force",
            "allowImportingTsExtensions": true,
            "resolveJsonModule": false,
            "paths": {"servers": ["./servers/index"], "servers/*": ["./servers/*"]},
            "noEmit": true,
            "skipLibCheck": true,
            "types": [],
            "typeRoots": [],
        },
        "files": ["globals.d.ts", PROGRAM],
        "typeAcquisition": {"enable": false},
    })
}
