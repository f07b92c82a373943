//! The text that the checker gets, and programs that it does not get.

use crate::program::prepare;

/// The text that the type checker gets for a program that names a server.
fn text(source: &str) -> Option<String> {
    prepare(&format!("{source}\nservers.a.b({{}});")).unwrap().check_text
}

fn same(source: &str) -> Option<String> {
    Some(format!("{source}\nservers.a.b({{}});"))
}

#[test]
fn a_top_level_return_becomes_a_throw_in_its_place() {
    assert_eq!(text("return a + 1;"), same("throw( a + 1);"));
    assert_eq!(text("if (a) { return }"), same("if (a) { throw 0 }"));
    assert_eq!(text("if (a) return;"), same("if (a) throw 0;"));
    assert_eq!(text("return(a, b)\n"), same("throw((a, b))\n"));
    assert_eq!(text("return {\n  a: 'ä',\n};"), same("throw( {\n  a: 'ä',\n});"));
    assert_eq!(text("if (a) return b; else return c"), same("if (a) throw( b); else throw( c)"));
}

#[test]
fn a_return_inside_a_function_is_kept() {
    for source in [
        "function f() { return 1 }",
        "const f = async () => { return 1 };",
        "class A { m() { return 1 } get g() { return 2 } }",
    ] {
        assert_eq!(text(source), same(source));
    }
    assert_eq!(text("return (() => { return 1 })();"), same("throw( (() => { return 1 })());"));
}

#[test]
fn a_fence_becomes_empty_lines() {
    let check = prepare("```ts\nreturn servers.a.b({})\n```").unwrap();
    assert_eq!(check.check_text.as_deref(), Some("\nthrow( servers.a.b({}))\n"));
}

#[test]
fn known_modules_can_be_checked() {
    for source in [
        "import * as crm from './servers/crm';",
        "import { a } from '../servers/crm/a.ts';",
        "import fs from 'node:fs/promises';",
        "import path from 'path';",
        "export * from './servers';",
        "export { a } from './servers/crm';",
        "type A = import('./servers/crm').A;",
        "const a = await import(`./servers/crm`);",
        "// <reference path='x' />",
        "declare const a: number;",
        "namespace A { export const b = 1 }",
    ] {
        assert_eq!(text(source), same(source), "{source}");
    }
}

#[test]
fn a_program_that_accesses_files_is_not_checked() {
    for source in [
        "import a from './a';",
        "import a from 'lodash';",
        "import a from './servers/../../etc/passwd';",
        "import a from './servers/..';",
        "import type { A } from 'a';",
        "export * from 'a';",
        "export { a } from 'a';",
        "const a = await import('a');",
        "const a = await import(`./${1}`);",
        "type A = import('a').A;",
        "import a = require('a');",
        "declare module 'a' { }",
        "declare global { }",
        "/// <reference path='a' />",
        "///<reference types='a' />",
        "/// <amd-module name='a' />",
    ] {
        assert_eq!(text(source), None, "{source}");
    }
}
