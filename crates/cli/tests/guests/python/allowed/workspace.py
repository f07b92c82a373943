# expect: output [["./workspace/a/b.txt","./workspace/data.json","./workspace/c.bin"],"hello","{\"a\": 1}",["a/b.txt","c.bin","d.txt","data.json","f.txt"],["b.txt"],"line\n",["workspace/d.txt","workspace/f.txt"],["servers","skills","workspace"],"/tmp"]
import glob, os, pathlib, shutil

where = [write_file("a/b.txt", "hello"), write_file("data.json", {"a": 1}), write_file("./workspace/c.bin", b"\0")]
with open("./workspace/d.txt", "w") as file:
    file.write("line\n")
pathlib.Path("workspace/e.txt").write_text("e")
os.rename("workspace/e.txt", "workspace/f.txt")
os.makedirs("workspace/sub/deeper")
shutil.rmtree("workspace/sub")
[
    where, read_file("a/b.txt"), read_file("./workspace/data.json"), list_files(), list_files("a"),
    open("/workspace/d.txt").read(), sorted(glob.glob("workspace/*.txt")), sorted(os.listdir(".")), os.getcwd(),
]
