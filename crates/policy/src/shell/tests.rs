//! Command lines with their labels.

use tidegate_model::Effect;

use super::{of_line, of_possible_line, of_words};

fn effect(line: &str) -> Option<Effect> {
    of_line(line).map(|found| found.effect)
}

#[test]
fn plain_commands_that_read_are_reading() {
    for line in [
        "ls",
        "ls -la /tmp",
        "cat a.txt | grep -i 'x > y' | wc -l",
        "git status",
        "git -C /repo log --oneline -n 5",
        "git --no-pager diff HEAD~1",
        "git branch",
        "git remote -v",
        "find . -name '*.rs' -type f",
        "grep -rn \"rm -rf\" src",
        "cd /tmp && ls; pwd",
        "cat x 2>/dev/null",
        "cat x 2>&1 | head",
        "ls > /dev/null",
        "echo 'rm -rf /'",
        "date +%s",
        "docker ps -a",
        "kubectl get pods -o json",
        "# a comment\nls",
        "sort < a.txt",
    ] {
        assert_eq!(effect(line), Some(Effect::ReadOnly), "{line}");
    }
    for line in ["mkdir -p a", "touch a && ls", "git add ."] {
        assert_eq!(effect(line), Some(Effect::Additive), "{line}");
    }
    assert_eq!(effect(""), None);
}

#[test]
fn everything_else_may_destroy() {
    for line in [
        "rm -rf /tmp/x",
        "\\rm x",
        "r''m x",
        "\"rm\" x",
        "/bin/rm x",
        "ls; rm x",
        "ls && rm x",
        "ls || rm x",
        "ls | xargs rm",
        "ls & rm x",
        "ls\nrm x",
        "(rm x)",
        "{ rm x; }",
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"$(rm x)\"",
        "cat <(rm x)",
        "$CMD x",
        "echo x > a",
        "echo x >> a",
        "echo x >| a",
        "echo x &> a",
        "ls 2> a",
        "ls >&a",
        "ls > /dev/nullx",
        "ls > /dev/sda",
        "mv a b",
        "cp a b",
        "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sda",
        "sudo ls",
        "chmod 777 a",
        "kill -9 1",
        "git push --force",
        "git reset --hard",
        "git clean -fdx",
        "git checkout -- .",
        "git -c alias.x='!rm a' x",
        "git diff --output=a",
        "git branch -D main",
        "git stash drop",
        "curl -X DELETE https://a.example",
        "find . -delete",
        "find . -exec rm {} ;",
        "sort -o a a",
        "sort -ro a a",
        "rg --pre=rm x",
        "sed -i s/a/b/ x",
        "sh -c 'ls'",
        "env rm x",
        "A=b ls",
        "PATH=. ls",
        "eval ls",
        "python -c 'import os'",
        "unheard-of",
        "tee a",
        "date -s 2020-01-01",
        "date 010100002020",
        "docker rm x",
        "kubectl delete pod x",
        "psql -c 'DROP TABLE t'",
        "echo 'unclosed",
    ] {
        assert_eq!(effect(line), Some(Effect::Destructive), "{line}");
    }
    assert_eq!(effect(&"ls ".repeat(30_000)), Some(Effect::Destructive));
}

#[test]
fn the_words_of_a_command_are_not_interpreted() {
    let effect = |words: &[&str]| of_words(words).map(|found| found.effect);
    assert_eq!(effect(&["ls", "-l", "a > b; rm c"]), Some(Effect::ReadOnly));
    assert_eq!(effect(&["git", "status"]), Some(Effect::ReadOnly));
    assert_eq!(effect(&["git", "push"]), Some(Effect::Destructive));
    assert_eq!(effect(&["bash", "-c", "ls"]), Some(Effect::Destructive));
    assert_eq!(effect(&[]), None);
}

#[test]
fn prose_is_no_command() {
    for text in ["Kill the process", "format the text", "find a way to remove it", "ls", "mv on"] {
        assert_eq!(of_possible_line(text), None, "{text}");
    }
    for text in ["rm -rf /", "mv /a /b", "kill 7", "ls && rm -r x", "sudo rm -rf /"] {
        assert!(of_possible_line(text).is_some(), "{text}");
    }
}
