# expect: output "answered"
import gc, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
def text(value):
    return struct.pack("<I", len(value)) + value
for _ in range(2):
    channel.send(2, struct.pack("<I", 7), text(b"hostile__echo"), text(b'{"text": "x"}'), b"\0")
servers.hostile.echo(text="answered")
