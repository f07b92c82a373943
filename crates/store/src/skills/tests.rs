//! The folder of skills, friendly and hostile.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;
use tidegate_model::Language;

use super::{MAX_SKILLS, NewSkill, Origin, SKILL_BYTES, Saved, SkillError, SkillName, Skills};

const SHIPPED: &str = "mcp-progressive-discovery";

fn new(name: &str, code: &str) -> NewSkill {
    NewSkill {
        name: SkillName::parse(name).unwrap(),
        code: code.into(),
        language: Language::Python,
        description: format!("Does {name}"),
    }
}

fn bench() -> (TempDir, Skills) {
    let state = tempfile::tempdir().unwrap();
    let skills = Skills::new(&state.path().join("state"));
    (state, skills)
}

fn place(state: &TempDir, name: &str) -> std::path::PathBuf {
    state.path().join("state/skills").join(name)
}

fn text(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Says {name}\n---\nText\n")
}

/// A skill as a person would write it.
fn by_hand(state: &TempDir, name: &str, files: &[(&str, &[u8])]) {
    let folder = place(state, name);
    fs::create_dir_all(&folder).unwrap();
    for (file, content) in files {
        fs::write(folder.join(file), content).unwrap();
    }
}

fn names(skills: &Skills) -> Vec<String> {
    skills.list().unwrap().skills.iter().map(|skill| skill.name.to_string()).collect()
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_saved_skill_is_listed_and_loaded_and_private() {
    let (state, skills) = bench();
    assert_eq!(skills.save(&new("count-words", "len(x.split())")).unwrap(), Saved::New);
    let skill = skills.load("count-words").unwrap();
    assert_eq!(skill.description, "Does count-words");
    assert_eq!(skill.code, Some((Language::Python, "len(x.split())".into())));
    assert_eq!(skill.content(), "len(x.split())");
    assert_eq!(skill.origin, Origin::Saved);
    assert_eq!(names(&skills), ["count-words", SHIPPED]);
    let folder = place(&state, "count-words");
    assert_eq!(files(&folder), ["SKILL.md", "skill.py"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place(&state, "")), 0o700);
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("SKILL.md")), 0o600);
    assert_eq!(mode(&folder.join("skill.py")), 0o600);
}

#[test]
fn saving_again_replaces_all_of_it() {
    let (state, skills) = bench();
    skills.save(&new("a", "1")).unwrap();
    let other = NewSkill {
        language: Language::TypeScript,
        description: String::new(),
        ..new("a", "return 2")
    };
    assert_eq!(skills.save(&other).unwrap(), Saved::Replaced);
    assert_eq!(files(&place(&state, "a")), ["SKILL.md", "skill.ts"]);
    let skill = skills.load("a").unwrap();
    assert_eq!(skill.code, Some((Language::TypeScript, "return 2".into())));
    assert_eq!(skill.description, "Code in typescript, saved without a description");
}

#[test]
fn the_shipped_skill_is_there_and_stays_as_it_is() {
    let (state, skills) = bench();
    let skill = skills.load(SHIPPED).unwrap();
    assert_eq!((skill.origin, skill.code.clone()), (Origin::Shipped, None));
    assert!(!skill.triggers.is_empty() && !skill.description.is_empty());
    assert!(matches!(skills.save(&new(SHIPPED, "1")), Err(SkillError::Shipped { .. })));
    assert!(matches!(skills.remove(SHIPPED), Err(SkillError::Shipped { .. })));
    by_hand(&state, SHIPPED, &[("SKILL.md", text(SHIPPED).as_bytes())]);
    assert_eq!(skills.load(SHIPPED).unwrap(), skill);
    let list = skills.list().unwrap();
    assert_eq!(list.skills, [skill]);
    let problem = "a skill of this name comes with tidegate".to_owned();
    assert_eq!(list.skipped, [(SHIPPED.to_owned(), problem)]);
}

#[test]
fn what_is_too_long_or_empty_is_not_saved() {
    let (_state, skills) = bench();
    let refused = |skill: NewSkill| skills.save(&skill).unwrap_err().to_string();
    assert_eq!(
        refused(new("a", &"x".repeat(SKILL_BYTES + 1))),
        "the code of a skill can have 65536 bytes, this one has 65537"
    );
    let described = NewSkill { description: "é".repeat(1025), ..new("a", "1") };
    assert_eq!(
        refused(described),
        "the description of a skill can have 1024 characters, this one has 1025"
    );
    assert_eq!(refused(new("a", " \n")), "the code of skill `a` is empty");
    assert_eq!(names(&skills), [SHIPPED]);
    // One less of each is fine.
    let most = NewSkill { description: "é".repeat(1024), ..new("a", &"x".repeat(SKILL_BYTES)) };
    skills.save(&most).unwrap();
    assert_eq!(skills.load("a").unwrap().content().len(), SKILL_BYTES);
}

#[test]
fn there_are_so_many_skills_and_no_more() {
    let (state, skills) = bench();
    for number in 0..MAX_SKILLS {
        let name = format!("s{number}");
        by_hand(&state, &name, &[("SKILL.md", text(&name).as_bytes())]);
    }
    assert!(matches!(skills.save(&new("one-more", "1")), Err(SkillError::TooMany { limit: 500 })));
    assert_eq!(skills.save(&new("s7", "1")).unwrap(), Saved::Replaced);
    by_hand(&state, "z", &[("SKILL.md", text("z").as_bytes())]);
    let list = skills.list().unwrap();
    assert_eq!(list.skills.len(), MAX_SKILLS + 1);
    assert_eq!(list.skipped, [("z".to_owned(), "exceeds the limit of 500 skills".to_owned())]);
}

#[test]
fn a_skill_that_is_not_there_has_the_nearest_names() {
    let (_state, skills) = bench();
    skills.save(&new("count-words", "1")).unwrap();
    for given in ["count-word", "countWords", "count_words"] {
        let error = skills.load(given).unwrap_err();
        assert_eq!(error.to_string(), format!("there is no skill `{given}`"));
        assert_eq!(error.hint(), "did you mean `count-words`?");
    }
    assert_eq!(skills.load("zzz").unwrap_err().hint(), "`./skills` in a program lists them");
    assert_eq!(skills.load("../a").unwrap_err().to_string(), "there is no skill `../a`");
}

#[test]
fn what_is_damaged_is_reported_and_the_rest_is_served() {
    let (state, skills) = bench();
    skills.save(&new("good", "1")).unwrap();
    by_hand(&state, "text-only", &[("SKILL.md", text("text-only").as_bytes())]);
    by_hand(&state, "Bad Name\u{1b}", &[("SKILL.md", text("x").as_bytes())]);
    by_hand(
        &state,
        "both",
        &[("SKILL.md", text("both").as_bytes()), ("skill.py", b"1"), ("skill.ts", b"1")],
    );
    by_hand(&state, "bytes", &[("SKILL.md", b"---\nname: \xff\n---\n")]);
    by_hand(
        &state,
        "code-bytes",
        &[("SKILL.md", text("code-bytes").as_bytes()), ("skill.py", b"\xff")],
    );
    by_hand(&state, "empty", &[]);
    by_hand(&state, "headless", &[("SKILL.md", b"# No head")]);
    by_hand(&state, "long", &[("SKILL.md", &[b'x'; SKILL_BYTES + 1])]);
    by_hand(&state, "other", &[("SKILL.md", text("good").as_bytes())]);
    by_hand(&state, ".hidden", &[]);
    fs::write(place(&state, "file"), "").unwrap();
    fs::create_dir_all(place(&state, "folder").join("SKILL.md")).unwrap();
    let list = skills.list().unwrap();
    let found: Vec<&str> = list.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(found, ["good", SHIPPED, "text-only"]);
    let skipped: Vec<(&str, &str)> =
        list.skipped.iter().map(|(name, problem)| (name.as_str(), problem.as_str())).collect();
    assert_eq!(
        skipped,
        [
            ("Bad Name\\u{1b}", "its name is not valid for a skill"),
            ("both", "has code in two languages"),
            ("bytes", "`SKILL.md` is not UTF-8 text"),
            ("code-bytes", "`skill.py` is not UTF-8 text"),
            ("empty", "has no `SKILL.md`"),
            ("file", "is a link or not a folder"),
            ("folder", "`SKILL.md` is not a file"),
            ("headless", "`SKILL.md` does not begin with a line `---`"),
            ("long", "`SKILL.md` is longer than 65536 bytes"),
            ("other", "`SKILL.md` is of skill `good`"),
        ]
    );
    assert_eq!(
        skills.load("headless").unwrap_err().to_string(),
        "skill `headless` cannot be used: `SKILL.md` does not begin with a line `---`"
    );
    // Saving it again repairs it.
    assert_eq!(skills.save(&new("headless", "1")).unwrap(), Saved::Replaced);
    assert_eq!(skills.load("headless").unwrap().content(), "1");
}

#[test]
fn links_are_followed_by_nobody() {
    let (state, skills) = bench();
    skills.save(&new("good", "1")).unwrap();
    let outside = state.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("SKILL.md"), text("linked")).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    symlink(&outside, place(&state, "linked")).unwrap();
    by_hand(&state, "peek", &[("SKILL.md", text("peek").as_bytes())]);
    symlink(outside.join("secret"), place(&state, "peek").join("skill.py")).unwrap();
    by_hand(&state, "gone", &[]);
    symlink(outside.join("nowhere"), place(&state, "gone").join("SKILL.md")).unwrap();
    assert_eq!(names(&skills), ["good", SHIPPED]);
    assert_eq!(
        skills.load("peek").unwrap_err().to_string(),
        "skill `peek` cannot be used: `skill.py` is a link"
    );
    // Writes replace a link or fail; none goes through it.
    assert!(matches!(skills.save(&new("linked", "1")), Err(SkillError::Damaged { .. })));
    assert!(matches!(skills.remove("linked"), Err(SkillError::Damaged { .. })));
    skills.save(&new("peek", "changed")).unwrap();
    skills.save(&new("gone", "changed")).unwrap();
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    assert_eq!(files(&outside), ["SKILL.md", "secret"]);
    assert_eq!(skills.load("peek").unwrap().content(), "changed");
}

#[test]
fn a_link_in_place_of_the_whole_folder_is_not_followed() {
    let (state, skills) = bench();
    let outside = state.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(state.path().join("state")).unwrap();
    symlink(&outside, state.path().join("state/skills")).unwrap();
    assert!(matches!(skills.save(&new("a", "1")), Err(SkillError::Folder(_))));
    assert!(matches!(skills.list(), Err(SkillError::Folder(_))));
    assert_eq!(files(&outside), [""; 0]);
}

#[test]
fn a_pipe_keeps_nobody_waiting() {
    let (state, skills) = bench();
    by_hand(&state, "pipe", &[]);
    let made =
        std::process::Command::new("mkfifo").arg(place(&state, "pipe").join("SKILL.md")).status();
    assert!(made.unwrap().success());
    assert_eq!(
        skills.list().unwrap().skipped,
        [("pipe".to_owned(), "`SKILL.md` is not a file".to_owned())]
    );
}

#[test]
fn removing_takes_what_is_ours_and_nothing_else() {
    let (state, skills) = bench();
    skills.save(&new("a", "1")).unwrap();
    skills.save(&new("mine", "1")).unwrap();
    fs::write(place(&state, "mine").join("notes.txt"), "kept").unwrap();
    fs::write(place(&state, "a").join(".part.1.2"), "left behind").unwrap();
    skills.remove("a").unwrap();
    assert_eq!(
        skills.remove("mine").unwrap_err().to_string(),
        "the folder of skill `mine` also has `notes.txt`"
    );
    assert_eq!(names(&skills), [SHIPPED, "mine"]);
    assert_eq!(skills.remove("min").unwrap_err().hint(), "did you mean `mine`?");
    assert!(matches!(skills.remove("../a"), Err(SkillError::BadName { .. })));
}

#[test]
fn readers_and_writers_at_once_see_whole_skills() {
    let (_state, skills) = bench();
    let versions = |number: usize| format!("{number}\n").repeat(1000);
    skills.save(&new("busy", &versions(0))).unwrap();
    std::thread::scope(|scope| {
        for writer in 1..=2 {
            let skills = &skills;
            scope.spawn(move || {
                for _ in 0..20 {
                    let language =
                        if writer == 1 { Language::Python } else { Language::TypeScript };
                    let skill = NewSkill { language, ..new("busy", &versions(writer)) };
                    skills.save(&skill).unwrap();
                }
            });
        }
        for _ in 0..200 {
            let (language, code) = skills.load("busy").unwrap().code.unwrap();
            let expected = match language {
                Language::TypeScript => vec![versions(2)],
                Language::Python => vec![versions(0), versions(1)],
            };
            assert!(expected.contains(&code));
        }
    });
}
