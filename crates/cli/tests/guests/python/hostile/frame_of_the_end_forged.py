# expect: output {"forged":true}
import gc, struct
channel = next(each for each in gc.get_objects() if type(each).__name__ == "Channel")
text = b'{"forged": true}'
channel.send(5, b"\1", struct.pack("<I", len(text)), text, struct.pack("<Q", 2**63))
channel.send(5, b"\1", struct.pack("<I", len(text)), text, struct.pack("<Q", 2**63))
print("after the end")
"output"
