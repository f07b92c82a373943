//! Installs the test equipment, tries it, and records where it is.
//!
//! In: the pin lists and the programs of this machine. Out: `equipment.json`.
//! If a program is missing, everything that needs it is skipped and the set-up continues.

use std::env::temp_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::equipment::{Equipment, Invocation};
use crate::install::{Age, Installer, Part};
use crate::probe::{count_tools, occurrences};
use crate::progress::{Progress, output_of};
use crate::project::Project;
use crate::tools::{Found, Machine, Program, Version, platform};

/// Required by the `engines` of the Inspector.
const INSPECTOR_NODE: Version = (22, 19);
/// The oldest version that can run programs.
const ENGINE_NODE: Version = (20, 0);
/// Required by the package `mcp`.
const MCP_PYTHON: Version = (3, 10);
/// Required by the hostile server.
const HOSTILE_PYTHON: Version = (3, 9);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verify {
    Always,
    AfterInstall,
}

pub(crate) fn run(project: &Project, progress: &Progress, verify: Verify) -> Result<Equipment> {
    let machine = Machine::look();
    let installer = Installer::open(project, progress)?;
    // npm and pip wait for different things, so they run at the same time.
    let (javascript, python) = thread::scope(|scope| {
        let javascript = scope.spawn(|| Javascript::install(&installer, &machine));
        let python = Python::install(&installer, &machine);
        (javascript.join(), python)
    });
    let Ok(javascript) = javascript else { bail!("the set-up of the npm packages failed") };

    let mut equipment = Equipment::default();
    javascript.list(&machine, &mut equipment);
    python.list(project, &machine, &mut equipment);
    if verify == Verify::Always || javascript.is_new() || python.is_new() {
        try_all(&mut equipment, progress)?;
    } else {
        progress.say("test equipment: in place");
    }
    equipment.write(&project.equipment_file())?;
    for (name, reason) in &equipment.skipped {
        progress.say(&format!("skipped: {name}: {reason}"));
    }
    Ok(equipment)
}

struct Javascript {
    servers: Found<Part>,
    inspector: Found<Part>,
    typescript: Found<Part>,
    deno: Found<Part>,
    pyright: Found<Part>,
    /// The Node that runs the Inspector.
    inspector_node: Found<PathBuf>,
}

impl Javascript {
    fn install(installer: &Installer<'_>, machine: &Machine) -> Self {
        let npm = |name| {
            let npm = machine.npm.as_ref().map_err(String::clone)?;
            machine.node.as_ref().map_err(String::clone)?;
            reasoned(installer.npm(name, npm))
        };
        let inspector_node = match &machine.node {
            Ok(node) if node.version >= INSPECTOR_NODE => Ok(node.path.clone()),
            _ => npm("npm-node").and_then(|part| packaged_node(&part.folder)),
        };
        Self {
            servers: npm("npm-servers"),
            inspector: npm("npm-inspector"),
            typescript: npm("npm-typescript"),
            deno: npm("npm-deno"),
            pyright: npm("npm-pyright"),
            inspector_node,
        }
    }

    fn list(&self, machine: &Machine, equipment: &mut Equipment) {
        for name in ["everything", "filesystem", "memory"] {
            let script = self.servers.as_ref().map(|part| {
                part.folder
                    .join(format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js"))
            });
            let node = machine.node.as_ref().map(|node| &node.path);
            equipment
                .add(name, both(node, script).map(|(node, script)| invoke(node, &script, &[])));
        }
        let launcher = self.inspector.as_ref().map(|part| {
            part.folder.join(
                "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
            )
        });
        let inspector = both(self.inspector_node.as_ref(), launcher);
        equipment
            .add("inspector", inspector.map(|(node, script)| invoke(node, &script, &["--cli"])));
        let compiler = self.typescript.as_ref().map(|part| {
            let package = format!("node_modules/@typescript/typescript-{}", platform());
            Invocation::new(&part.folder.join(package).join("lib/tsc"), &[])
        });
        equipment.add("tsc", compiler.map_err(String::clone));
        let deno = self.deno.as_ref().map_err(String::clone);
        let deno = deno.and_then(|part| packaged_deno(&part.folder));
        equipment.add("deno", deno.map(|deno| Invocation::new(&deno, &[])));
        let pyright =
            self.pyright.as_ref().map(|part| part.folder.join("node_modules/pyright/index.js"));
        let pyright = both(machine.node.as_ref().map(|node| &node.path), pyright);
        equipment.add("pyright", pyright.map(|(node, script)| invoke(node, &script, &[])));
        let node = machine.node.as_ref().map_err(String::clone).and_then(|node| {
            if node.version < ENGINE_NODE {
                let (major, minor) = node.version;
                return Err(format!("needs Node {}, this is {major}.{minor}", ENGINE_NODE.0));
            }
            Ok(Invocation::new(&node.path, &[]))
        });
        equipment.add("node", node);
    }

    fn is_new(&self) -> bool {
        [&self.servers, &self.inspector, &self.typescript, &self.deno, &self.pyright]
            .into_iter()
            .any(is_new)
    }
}

/// The name of the package contains the platform, so look for the binary.
fn packaged_node(folder: &Path) -> Found<PathBuf> {
    let packages = fs::read_dir(folder.join("node_modules")).map_err(|error| error.to_string())?;
    packages
        .flatten()
        .map(|package| package.path().join("bin/node"))
        .find(|binary| binary.is_file())
        .ok_or_else(|| "the package of Node contains no binary".to_owned())
}

/// The package is named after the platform, with a suffix on some.
fn packaged_deno(folder: &Path) -> Found<PathBuf> {
    let packages = fs::read_dir(folder.join("node_modules/@deno"));
    packages
        .map_err(|error| error.to_string())?
        .flatten()
        .map(|package| package.path().join("deno"))
        .find(|binary| binary.is_file())
        .ok_or_else(|| "there is no Deno for this platform".to_owned())
}

struct Python {
    main: Found<Part>,
    /// `mcp-server-sqlite` needs an older `mcp` than all others.
    sqlite: Found<Part>,
    /// A type checker, not a server.
    ty: Found<Part>,
}

impl Python {
    fn install(installer: &Installer<'_>, machine: &Machine) -> Self {
        let environment = |name| {
            let python = at_least(&machine.python, MCP_PYTHON)?;
            reasoned(installer.python(name, python))
        };
        Self {
            main: environment("python"),
            sqlite: environment("python-sqlite"),
            ty: environment("python-ty"),
        }
    }

    fn list(&self, project: &Project, machine: &Machine, equipment: &mut Equipment) {
        let main = interpreter(&self.main);
        let module =
            |name: &str| main.as_ref().map(|python| Invocation::new(python, &["-m", name]));
        let git = both(machine.git.as_ref(), module("mcp_server_git")).map(|(_, server)| server);
        equipment.add("git", git);
        // It has no module for `-m`, and the installed script names the folder before the
        // rename.
        let run = "from mcp_server_sqlite import main; main()";
        let sqlite = interpreter(&self.sqlite).map(|python| Invocation::new(&python, &["-c", run]));
        equipment.add("sqlite", sqlite);
        equipment.add("time", module("mcp_server_time").map_err(String::clone));
        let ty = self.ty.as_ref().map(|part| Invocation::new(&part.folder.join("bin/ty"), &[]));
        equipment.add("ty", ty.map_err(String::clone));
        let client = project.testing("clients/python_client.py");
        equipment.add("python_client", main.map(|python| invoke(&python, &client, &[])));
        for (name, script) in [("hostile", "hostile_server.py"), ("fixtures", "make_fixtures.py")] {
            let python = at_least(&machine.python, HOSTILE_PYTHON);
            equipment.add(
                name,
                python.map(|python| invoke(&python.path, &project.testing(script), &[])),
            );
        }
    }

    fn is_new(&self) -> bool {
        [&self.main, &self.sqlite, &self.ty].into_iter().any(is_new)
    }
}

fn at_least(python: &Found<Program>, wanted: Version) -> Found<&Program> {
    let python = python.as_ref().map_err(String::clone)?;
    if python.version < wanted {
        let ((major, minor), (wanted_major, wanted_minor)) = (python.version, wanted);
        return Err(format!("needs Python {wanted_major}.{wanted_minor}, this is {major}.{minor}"));
    }
    Ok(python)
}

fn interpreter(environment: &Found<Part>) -> Found<PathBuf> {
    environment.as_ref().map(|part| part.folder.join("bin/python")).map_err(String::clone)
}

fn invoke(program: &Path, script: &Path, rest: &[&str]) -> Invocation {
    let script = script.to_string_lossy();
    let mut args = vec![script.as_ref()];
    args.extend_from_slice(rest);
    Invocation::new(program, &args)
}

/// Both values, or the first reason.
fn both<A, B>(first: Result<A, &String>, second: Result<B, &String>) -> Found<(A, B)> {
    Ok((first.map_err(String::clone)?, second.map_err(String::clone)?))
}

fn is_new(part: &Found<Part>) -> bool {
    part.as_ref().is_ok_and(|part| part.age == Age::New)
}

fn reasoned<T>(result: Result<T>) -> Found<T> {
    result.map_err(|error| format!("{error:#}"))
}

/// Starts every piece once, all at the same time. Pieces that do not work are skipped.
fn try_all(equipment: &mut Equipment, progress: &Progress) -> Result<()> {
    let folder = temp_dir().join(format!("tidegate-setup-{}", process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    progress.say("starting each piece once");
    let pieces = equipment.pieces.clone();
    let outcomes: Vec<(String, Result<String>)> = thread::scope(|scope| {
        let all = &pieces;
        let folder = &folder;
        let started: Vec<_> = all
            .iter()
            .map(|(name, piece)| (name, scope.spawn(move || try_piece(name, piece, all, folder))))
            .collect();
        let finish = |attempt: thread::ScopedJoinHandle<'_, Result<String>>| {
            attempt.join().unwrap_or_else(|_| bail!("the attempt broke off"))
        };
        started.into_iter().map(|(name, attempt)| (name.clone(), finish(attempt))).collect()
    });
    for (name, outcome) in outcomes {
        match outcome {
            Ok(found) => progress.say(&format!("{name}: {found}")),
            Err(error) => equipment.skip(&name, format!("installed, but does not work: {error:#}")),
        }
    }
    fs::remove_dir_all(&folder).with_context(|| format!("cannot remove `{}`", folder.display()))
}

fn try_piece(
    name: &str,
    piece: &Invocation,
    all: &[(String, Invocation)],
    folder: &Path,
) -> Result<String> {
    let start = Instant::now();
    let own_folder = folder.join(name);
    fs::create_dir_all(&own_folder)?;
    let found = match name {
        "inspector" => try_client(piece, all, "everything", &["--method", "tools/list"])?,
        "python_client" => try_client(piece, all, "hostile", &[])?,
        "fixtures" => {
            output_of(Command::new(&piece.command).args(&piece.args).arg("--help"))?;
            "works".to_owned()
        }
        "tsc" | "ty" | "pyright" | "deno" | "node" => {
            let said = output_of(Command::new(&piece.command).args(&piece.args).arg("--version"))?;
            said.lines().next().unwrap_or_default().trim().to_owned()
        }
        _ => format!(
            "{} tools",
            count_tools(piece, &server_arguments(name, &own_folder), &own_folder)?
        ),
    };
    Ok(format!("{found} in {:.1} s", start.elapsed().as_secs_f32()))
}

fn server_arguments(name: &str, folder: &Path) -> Vec<String> {
    match name {
        "filesystem" => vec![folder.to_string_lossy().into_owned()],
        "sqlite" => {
            vec!["--db-path".to_owned(), folder.join("test.db").to_string_lossy().into_owned()]
        }
        _ => Vec::new(),
    }
}

/// Has a client list the tools of one of our servers.
fn try_client(
    client: &Invocation,
    all: &[(String, Invocation)],
    server_name: &str,
    after: &[&str],
) -> Result<String> {
    let Some((_, server)) = all.iter().find(|(name, _)| name == server_name) else {
        return Ok(format!("installed, not tried because `{server_name}` is missing"));
    };
    let mut command = Command::new(&client.command);
    command.args(&client.args);
    if after.is_empty() {
        command.args(["--list", "--"]);
    }
    command.arg(&server.command).args(&server.args).args(after);
    let tools = occurrences(&output_of(&mut command)?, "\"inputSchema\"");
    if tools == 0 {
        bail!("it found no tools at `{server_name}`");
    }
    Ok(format!("saw {tools} tools of `{server_name}`"))
}
