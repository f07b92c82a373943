# expect: output {"done":true}
# logs: "on the way"
print("on the way")
{"done": True}
