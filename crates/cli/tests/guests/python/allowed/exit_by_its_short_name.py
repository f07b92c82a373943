# expect: output "before"
result = "before"
for leave in (exit, quit):
    leave()
result = "after"
