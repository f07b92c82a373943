# expect: error call.tool_failed at line 5, column 9: ToolError: `hostile__fail` failed: item 1 is out of stock\n  line 9, in <module>: helper(number)\n  line 5, in helper: servers.hostile.fail(message=f"item {number} is out of stock")
# logs: "before"
def helper(number):
    if number > 0:
        servers.hostile.fail(message=f"item {number} is out of stock")

print("before")
for number in range(3):
    helper(number)
