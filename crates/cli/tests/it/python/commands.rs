//! Host commands in programs in Python: the same border as for TypeScript
//! (`commands_jail.rs` tests the jail).

use serde_json::json;

use super::library::{interpreter, run};
use crate::support::{Bench, query};

const SETTINGS: &str = "profile = \"execute_full\"\n\
    [commands.sort]\npath = \"/usr/bin/sort\"\nargs = [\"regex:-n|-r\"]\n\
    [commands.sleep]\npath = \"/bin/sleep\"\nargs = [\"*\"]\n";

#[test]
fn programs_in_python_run_the_commands_that_are_configured() {
    let test = "programs_in_python_run_the_commands_that_are_configured";
    let bench = Bench::new();
    bench.write("tidegate.toml", SETTINGS);
    let mut served = bench.serve();
    if interpreter(&mut served, test).is_none() {
        return;
    }
    let program = r#"
import asyncio
def told(*arguments, **named):
    try:
        return commands.run(*arguments, **named).stdout
    except ToolError as error:
        return [error.code, str(error)]
done = commands.run("sort", ["-n"], input="3\n1\n2\n")
both = await asyncio.gather(commands.run("sort", ["-r"], {"input": "a\nb\n"}), commands.run("sort", ["-n"], input="x\n"))
[done.exit_code, done.stdout, [each.stdout for each in both], (await commands.run("sort", ["-r"], input="y")).stdout,
 told("sort", ["-o", "/tmp/x"]), told("ls", []), told("sort", "-n"), told("sleep", [30], timeout_ms=300)]
"#;
    let answer = run(&mut served, program);
    let output = answer["output"].as_array().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(output[..4], [json!(0), json!("1\n2\n3\n"), json!(["b\na\n", "x\n"]), json!("y\n")]);
    let code = |at: usize| output[at][0].as_str().unwrap_or_else(|| panic!("{at}: {answer}"));
    assert_eq!(
        [4, 5, 6, 7].map(code),
        ["command.denied", "command.denied", "command.denied", "command.time"]
    );
    // A run that asks for a narrower profile has no commands.
    let narrow = json!({
        "code": "commands.run('sort', ['-n'], input='x')", "language": "python", "profile": "default"
    });
    assert_eq!(served.execute_with(narrow)["error"]["code"], "command.denied");
    // One for each call of an existing command, including refused ones.
    let recorded = query(&bench.state_dir().join("record.db"), "SELECT count(*) FROM commands");
    assert_eq!(recorded, ["8"], "{recorded:?}");
}
