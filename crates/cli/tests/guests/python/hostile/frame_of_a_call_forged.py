# expect: output "answered"
# calls: 6
import gc, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
def text(value):
    return struct.pack("<I", len(value)) + value
for number, name in enumerate([b"hostile__nope", b"nope__nope", b"../hostile__echo", b"hostile__echo\0", b"HOSTILE__ECHO"]):
    channel.send(2, struct.pack("<I", 1000 + number), text(name), text(b'{"text": 1}'), b"\0")
servers.hostile.echo(text="answered")
