# expect: output "back"
# logs: "at the end"
answer = await servers.hostile.echo(text="back")
try:
    return answer
finally:
    print("at the end")
