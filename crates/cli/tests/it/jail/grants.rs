//! Granted folders and the scratch folder, attacked from inside.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tidegate_jail::{Access, Filter, Grant, LinkPolicy, Scratch, Spec};

use super::attacker::{Camp, User, users};
use super::limits;

#[test]
fn g19_a_granted_folder_leads_nowhere_else() {
    for user in users("g19_a_granted_folder_leads_nowhere_else") {
        // Strict, without the private root, and without Landlock.
        for camp in
            [Camp::of(user), Camp::without(user, "namespaces"), Camp::without(user, "landlock")]
        {
            let tree = Tree::of(&camp);
            let inside = camp.jailed(&tree.spec(), &tree.attack())["outcome"].take();
            for (name, expected) in [
                ("read what may be read", "ok"),
                ("write what may be written", "ok"),
                ("make a link to the outside", "ok"),
                ("copy a program", "ok"),
            ] {
                assert_eq!(inside[name], expected, "{name}");
            }
            let ran = inside["run a program that may be read"].as_str().unwrap();
            assert!(ran.starts_with("ran as "), "{ran}");
            // Nobody becomes root by running a program that belongs to root.
            assert_eq!(inside["run a program of root"], ran);
            assert_ne!(ran, "ran as 0");
            let mut refused = REFUSED.to_vec();
            // Landlock treats a device as a file; only a mount tells them apart.
            if camp.has_namespaces() {
                refused.push("open a device of the tree");
            }
            for name in refused {
                let said = inside[name].as_str().unwrap();
                assert!(
                    ["EACCES", "EPERM", "ENOENT", "EROFS", "EXDEV", "EFBIG"].contains(&said),
                    "{name}: {said}"
                );
            }
            // The private root may have folders with the same names.
            assert_eq!(tree.secret_content(), "secret");
            assert!(!tree.secret.with_file_name(".bashrc").exists());
            // The control: the same outside, on another tree.
            let control = Camp::of(user);
            let outside = control.outside(&Tree::of(&control).attack());
            let mut possible = REFUSED_INSIDE_ONLY.to_vec();
            if user != User::Own {
                possible.push("open a device of the tree");
            }
            if user == User::Root {
                possible.push("make a device");
            }
            for name in possible {
                assert_eq!(outside[name], "ok", "{name} outside");
            }
            if user == User::Dropped {
                assert_eq!(outside["run a program of root"], "ran as 0");
            }
        }
    }
}

const REFUSED: [&str; 18] = [
    "make a file that lends its owner's rights",
    "let a file lend its owner's rights",
    "let an open file lend its group's rights",
    "change rights of an open file that may only be read",
    "change times of an open file that may only be read",
    "send to a socket that may only be read",
    "write what may only be read",
    "make a file where one may only read",
    "remove what may only be read",
    "read outside",
    "read outside through dots",
    "read through the link",
    "hard link what may only be read",
    "hard link the outside",
    "rename across",
    "run a program that was written",
    "make a device",
    "a sparse file of a terabyte",
];

/// The ones that anybody can do outside, to their own files.
const REFUSED_INSIDE_ONLY: [&str; 15] = [
    "make a file that lends its owner's rights",
    "let a file lend its owner's rights",
    "let an open file lend its group's rights",
    "change rights of an open file that may only be read",
    "change times of an open file that may only be read",
    "send to a socket that may only be read",
    "write what may only be read",
    "make a file where one may only read",
    "read outside",
    "read outside through dots",
    "read through the link",
    "write through the link",
    "hard link the outside",
    "a sparse file of a terabyte",
    "a hook beside the grant",
];

/// Neither is the link's target granted, nor is a jail started without the grant.
#[test]
fn g19_a_grant_that_has_become_a_link_makes_no_jail() {
    for user in users("g19_a_grant_that_has_become_a_link_makes_no_jail") {
        let camp = Camp::of(user);
        let link = camp.path().join("link");
        std::os::unix::fs::symlink(camp.folder("elsewhere"), &link).unwrap();
        let ending = |links| {
            let mut spec = limits::roomy_spec(Filter::Command);
            spec.grants.push(Grant { path: link.clone(), access: Access::Read, links });
            camp.jailed_ending(&spec, &json!({"attack": "nothing"}))
        };
        assert_eq!(ending(LinkPolicy::Refused), Some(71));
        assert_eq!(ending(LinkPolicy::Followed), Some(0));
    }
}

#[test]
fn g20_a_scratch_folder_holds_no_more_than_it_may() {
    for user in users("g20_a_scratch_folder_holds_no_more_than_it_may") {
        let camp = Camp::of(user);
        let mut spec = limits::spec(Filter::Command);
        spec.scratch = Some(Scratch { bytes: 4 << 20, files: 100 });
        spec.limits.file_bytes = 1 << 30;
        let outcome = camp.jailed(&spec, &json!({"attack": "scratch"}))["outcome"].take();
        assert_eq!([&outcome["full"], &outcome["many"]], ["ENOSPC", "ENOSPC"], "{outcome}");
        assert_eq!([&outcome["bytes"], &outcome["files"]], [4 << 20, 100], "{outcome}");
        // A file is limited by itself as well.
        spec.limits.file_bytes = 1 << 20;
        let answer = camp.jailed_ending(&spec, &json!({"attack": "scratch"}));
        assert_eq!(answer, Some(128 + nix::libc::SIGXFSZ));
    }
}

/// A folder to read, one to write, and a file beside them.
struct Tree {
    readable: PathBuf,
    writable: PathBuf,
    secret: PathBuf,
    _listener: UnixDatagram,
}

impl Tree {
    fn of(camp: &Camp) -> Self {
        let readable = camp.folder("tree/readable");
        let writable = camp.folder("tree/writable");
        let secret = camp.file("tree/secret", "secret");
        camp.folder("tree");
        camp.file("tree/readable/file", "x");
        let program = readable.join("program");
        std::fs::copy("/usr/bin/id", &program).unwrap();
        let setuid = readable.join("setuid");
        std::fs::copy("/usr/bin/id", &setuid).unwrap();
        std::fs::set_permissions(&setuid, std::fs::Permissions::from_mode(0o4755)).unwrap();
        if camp.user != User::Own {
            // Random bytes, for everybody, in a place where devices do not belong.
            let device = readable.join("device");
            let made =
                Command::new("mknod").arg(&device).args(["-m", "666", "c", "1", "8"]).status();
            assert!(made.unwrap().success());
        }
        let socket = readable.join("socket");
        let listener = UnixDatagram::bind(&socket).unwrap();
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o777)).unwrap();
        Self { readable, writable, secret, _listener: listener }
    }

    fn spec(&self) -> Spec {
        let mut spec = limits::roomy_spec(Filter::Command);
        // The files that `id` needs to start, if they exist.
        let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"];
        let libraries = libraries.into_iter().filter(|path| Path::new(path).exists());
        let links = LinkPolicy::Refused;
        let grant = |path: &Path, access| Grant { path: path.to_owned(), access, links };
        spec.grants = libraries.map(|path| Grant::read(Path::new(path))).collect();
        spec.grants.push(grant(Path::new("/dev/null"), Access::Device));
        spec.grants.push(grant(&self.readable, Access::Read));
        spec.grants.push(grant(&self.writable, Access::Write));
        // The granted folders are below it, and must not vanish.
        spec.scratch = Some(Scratch { bytes: 1 << 20, files: 100 });
        spec
    }

    fn attack(&self) -> Value {
        json!({
            "attack": "tree",
            "readable": self.readable,
            "writable": self.writable,
            "secret": self.secret,
        })
    }

    fn secret_content(&self) -> String {
        std::fs::read_to_string(&self.secret).unwrap()
    }
}
