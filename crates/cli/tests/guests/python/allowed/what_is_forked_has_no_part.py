# expect: output "sent"
# calls: 1
import os

child = os.fork()
if child == 0:
    print("lost")
    servers.hostile.echo(text="not sent")
os.waitpid(child, 0)
servers.hostile.echo(text="sent")
