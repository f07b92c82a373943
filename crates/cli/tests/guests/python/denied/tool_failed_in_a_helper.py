# expect: error call.tool_failed at line 5, column 9: `hostile__fail` failed, its server says: item 1 is out of stock
# logs: "before"
def helper(number):
    if number > 0:
        servers.hostile.fail(message=f"item {number} is out of stock")

print("before")
for number in range(3):
    helper(number)
