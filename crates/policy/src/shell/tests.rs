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
        "git --no-pager log --oneline -n 5",
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
fn options_that_write_or_run_something_make_a_command_unknown() {
    for line in [
        "sort --o=/home/ann/x /dev/null",
        // `find` goes on with its options, and `--` may be a value.
        "find -- . -name canary -delete",
        "find . -name -- -o -name canary -delete",
        "find sub -not -name -- -type f -delete",
        "rg -e -- --pre ./pre.sh x f",
        "tree -P -- -o f",
        "sort --out=/home/ann/x a",
        "sort --compress-prog=rm a",
        "date --s=2020-01-01",
        "pip list --log /home/ann/.bashrc",
        "pip --log x list",
        "kubectl get pods --profile=cpu --profile-output=/home/ann/x",
        "kubectl get pods --kubeconfig /tmp/x",
        "npm ls --userconfig=/tmp/x",
        "git -C evil status",
        "git --git-dir=evil/.git log",
        "git --exec-path=/tmp/x status",
        "git -c core.fsmonitor=/tmp/x status",
        "git log --outp=x",
        "cd evil && git status",
        "file -C -m x",
        "tree -R -H . -L 1",
        "printf -v PATH /tmp/x",
        "rg --pr=rm x",
        "echo \"\\\"; rm x #\"",
        "echo '’; rm x #'",
        "ls # ; rm x",
        "ls # '\necho '; rm x #'",
    ] {
        assert_eq!(effect(line), Some(Effect::Destructive), "{line}");
    }
}

#[test]
fn everyday_commands_go_on_unasked() {
    for line in [
        "git log --oneline -5",
        "git log --since=2024-01-01 --author=ann --format='%h %s' -- src",
        "git diff --stat --cached",
        "git show --name-only HEAD~2",
        "git status --short --branch",
        "git ls-files --others --exclude-standard",
        "git rev-parse --show-toplevel",
        "ls -la src",
        "rg -n foo",
        "rg --hidden -g '*.rs' -A3 'fn main' src",
        "rg -n \"foo\\.bar\" src",
        "kubectl get pods -n x -o json",
        "kubectl logs -f pod/x --tail=100 -c main",
        "kubectl describe deployment web --namespace x",
        "pip list --format=json",
        "pip show requests",
        "npm ls --depth=0",
        "docker logs --tail 50 web",
        "systemctl status nginx --no-pager",
        "find src -maxdepth 2 -type f -mtime -7 -size -10k -print0",
        "find . -not -path './target/*' -name '*.toml'",
        "fd -e rs -t f main src",
        "sort -k2,2nr -u a.txt | head -20",
        "sort --reverse --numeric-sort a.txt",
        "tree -L 2 -I target",
        "date -u +%FT%TZ",
        "date -d yesterday +%F",
        "file -b a.bin",
        "printf '%s\\n' a b",
        "wc -l src/*.rs",
        "head -n 5 a.txt; tail -n 5 a.txt",
        "cat a.json | jq '.items[] | .name'",
        "ls # the files",
    ] {
        assert_eq!(effect(line), Some(Effect::ReadOnly), "{line}");
    }
}

#[test]
fn the_words_of_a_command_are_not_interpreted() {
    let effect = |words: &[&str]| of_words(words).map(|found| found.effect);
    assert_eq!(effect(&["ls", "-l", "a > b; rm c"]), Some(Effect::ReadOnly));
    assert_eq!(effect(&["git", "status"]), Some(Effect::ReadOnly));
    assert_eq!(effect(&["git", "push"]), Some(Effect::Destructive));
    assert_eq!(effect(&["bash", "-c", "ls"]), Some(Effect::Destructive));
    assert_eq!(effect(&["rg", "-n", "a => b", "src"]), Some(Effect::ReadOnly));
    // Unless a word can be one of a shell only.
    assert_eq!(effect(&["ls", ";", "rm", "x"]), Some(Effect::Destructive));
    assert_eq!(effect(&["ls", "2>", "x"]), Some(Effect::Destructive));
    assert_eq!(effect(&[]), None);
}

#[test]
fn prose_is_no_command() {
    for text in ["Kill the process", "format the text", "find a way to remove it", "ls", "mv on"] {
        assert_eq!(of_possible_line(text), None, "{text}");
    }
    for text in
        ["find the bug in main.rs", "make it so. It is more > less", "Run the tests, then stop"]
    {
        assert_eq!(of_possible_line(text), None, "{text}");
    }
    for text in [
        "rm -rf /",
        "mv /a /b",
        "kill 7",
        "ls && rm -r x",
        "sudo rm -rf /",
        "rm notes.txt",
        "rm notes",
        "echo x > /etc/hosts",
        "env rm -rf /x",
        "env -i A=b rm -rf /x",
        "LC_ALL=C rm -rf /x",
        "if true; then rm -rf /x; fi",
        "timeout 5s nice -n 5 rm x",
        "cp /dev/null x",
        "python3 -c 'import os'",
        "echo $(rm x)",
    ] {
        assert!(of_possible_line(text).is_some(), "{text}");
    }
}
