# expect: output "a?b"
"a\ud800b"
