#### walk to `os` by the classes of everything
classes = ().__class__.__base__.__subclasses__()
wrap = next(each for each in classes if each.__name__ == "_wrap_close")
reach = wrap.__init__.__globals__
attempt("read a file", lambda: reach["read"](reach["open"](SECRET, 0), 100))
attempt("list a folder", lambda: reach["listdir"](FOLDER))
attempt("start a shell", lambda: reach["system"]("exit 7") >> 8 == 7)
#### walk up the frames
import sys
frame = sys._getframe()
names = {}
while frame is not None:
    names.update(frame.f_globals)
    frame = frame.f_back
attempt("read a file", lambda: names["__builtins__"].open(SECRET).read())
#### walk a traceback
try:
    1 / 0
except ZeroDivisionError as error:
    frame = error.__traceback__.tb_frame
    while frame.f_back is not None:
        frame = frame.f_back
    found = frame.f_globals.get("__builtins__")
found = found if isinstance(found, dict) else vars(found)
attempt("read a file", lambda: found["open"](SECRET).read())
#### look through the memory of the interpreter
import gc, os, types
gc.unfreeze()
modules = [each for each in gc.get_objects() if isinstance(each, types.ModuleType)]
system = next(each for each in modules if each.__name__ == "posix")
attempt("read a file", lambda: system.read(system.open(SECRET, 0), 100))
environment = system.environ
attempt("find the secret of the gateway", lambda: any(MARK.encode() in each for each in environment.values()) or refuse())
#### take builtins away and bring them back
import builtins, importlib
import io
kept = builtins.open
builtins.open = io.open = None
importlib.reload(builtins)
importlib.reload(io)
attempt("read a file", lambda: io.open(SECRET).read())
attempt("read a file with the first one", lambda: kept(SECRET).read())
builtins.open = io.open = kept
#### import the parts that names hide
import importlib
hidden = importlib.import_module("po" + "six")
attempt("read a file", lambda: hidden.read(hidden.open(SECRET, 0), 100))
attempt("start a program", lambda: hidden.posix_spawn("/bin/true", ["true"], {}))
attempt("start a program in its place", lambda: in_child(lambda: hidden.execv("/bin/true", ["true"])))
#### make code objects by hand
def inner(): return secret
code = inner.__code__.replace(co_names=("open",))
import types
function = types.FunctionType(code, {"open": open})
attempt("read a file", lambda: function()(SECRET).read())
#### evaluate text
attempt("read a file", lambda: eval(compile("open(SECRET).read()", "x", "eval")))
attempt("read a file by bytes", lambda: __import__("pathlib").Path(SECRET).read_bytes())
#### system calls by number
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    outcome = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(each) for each in arguments])
    if outcome == -1:
        raise OSError(ctypes.get_errno(), "system call")
X86 = platform.machine() == "x86_64"
for name, x86, arm, arguments in [
    ("socket", 41, 198, (2, 1, 0)), ("memfd_create", 319, 279, (ctypes.addressof(ctypes.create_string_buffer(b"x")), 0)),
    ("inotify_init1", 294, 26, (0,)), ("setsid", 112, 157, ()),
    ("unshare", 272, 97, (0x10000000,)), ("ptrace", 101, 117, (16, NEIGHBOUR, 0, 0)), ("mount", 165, 40, (0, 0, 0, 0, 0)),
    ("bpf", 321, 280, (0, 0, 0)), ("perf_event_open", 298, 241, (0, 0, -1, -1, 0)), ("keyctl", 250, 219, (0, -3, 0)),
    ("io_uring_setup", 425, 425, (1, 0)), ("userfaultfd", 323, 282, (0,)), ("open_by_handle_at", 304, 265, (-100, 0, 0)),
    ("process_vm_readv", 310, 270, (NEIGHBOUR, 0, 0, 0, 0, 0)), ("setns", 308, 268, (0, 0)), ("pivot_root", 155, 41, (0, 0)),
    ("chroot", 161, 51, (0,)), ("reboot", 169, 142, (0, 0, 0, 0)),
    ("pidfd_open", 434, 434, (NEIGHBOUR, 0)), ("pidfd_getfd", 438, 438, (0, 0, 0)), ("seccomp", 317, 277, (1, 0, 0)),
    ("personality", 135, 92, (0x0400000,)), ("setuid", 105, 146, (0,)), ("setgroups", 116, 159, (0, 0)),
    ("mknodat", 259, 33, (-100, 0, 0o60644, 0)), ("fsopen", 430, 430, (0, 0)), ("clone3", 435, 435, (0, 0)),
    ("quotactl", 179, 60, (0, 0, 0, 0)), ("swapon", 167, 224, (0, 0)),
    ("name_to_handle_at", 303, 264, (-100, 0, 0, 0, 0)), ("move_pages", 279, 239, (NEIGHBOUR, 0, 0, 0, 0, 0)),
    ("kcmp", 312, 272, (NEIGHBOUR, NEIGHBOUR, 0, 0, 0)), ("syslog", 103, 116, (2, 0, 0)), ("vmsplice", 278, 75, (0, 0, 0, 0)),
]:
    # In a process of its own: some change the one that makes them.
    attempt(name, lambda: in_child(lambda: reached(lambda: call(x86 if X86 else arm, *arguments))))
#### memory that can be executed
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
def checked(outcome):
    if outcome in (-1, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    return outcome
attempt("map it", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
attempt("map it for execution alone", lambda: checked(libc.mmap(None, 4096, 4, 0x22, -1, 0)))
page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
attempt("make it so later", lambda: checked(libc.mprotect(page, 4096, 5)))
attempt("make a part of the interpreter writable", lambda: checked(libc.mprotect(ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~4095, 4096, 7)))
#### code in a file
import mmap, os
path = os.path.join(OWN, "code")
with open(path, "wb") as file:
    file.write(b"\x90" * 4096)
def map_it():
    descriptor = os.open(path, os.O_RDWR)
    return mmap.mmap(descriptor, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
def map_shared():
    descriptor = os.open(path, os.O_RDWR)
    return mmap.mmap(descriptor, 4096, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_EXEC)
attempt("map a file of its own", map_it)
attempt("map it shared", map_shared)
def library():
    import ctypes, shutil, _ctypes
    shutil.copy(_ctypes.__file__, os.path.join(OWN, "library.so"))
    return ctypes.CDLL(os.path.join(OWN, "library.so"))
attempt("load a library of its own", library)
def program():
    import shutil, sys
    copied = os.path.join(OWN, "program")
    shutil.copy(sys.executable, copied)
    os.chmod(copied, 0o755)
    return in_child(lambda: os.execv(copied, [copied, "-I", "-c", "raise SystemExit(7)"])) == 7
attempt("start a program of its own", program)
#### a file without a name
import os
def named():
    descriptor = os.memfd_create("x") if hasattr(os, "memfd_create") else refuse()
    os.write(descriptor, b"#!/bin/true\n")
    return descriptor
attempt("make one", named)
#### processes of others
import os, signal
attempt("stop the parent", lambda: parent_is_stopped())
attempt("kill everybody", lambda: harmful() or os.kill(-1, 9))
attempt("signal a process of the user", lambda: os.kill(NEIGHBOUR, 0))
attempt("read its memory", lambda: open(f"/proc/{NEIGHBOUR}/environ", "rb").read())
attempt("list the processes", lambda: str(NEIGHBOUR) in os.listdir("/proc"))
#### sockets
import socket
for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC", "AF_QIPCRTR", "AF_RDS", "AF_XDP"):
    for kind in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW", "SOCK_SEQPACKET"):
        if hasattr(socket, family):
            attempt(f"{family} {kind}", lambda: reached(lambda: socket.socket(getattr(socket, family), getattr(socket, kind)).close()))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", PORT)).close() or True)
attempt("look a name up", lambda: socket.getaddrinfo("localhost", 80))
attempt("a pair of datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
#### links to the outside
import os
def read_through(name, make):
    path = os.path.join(OWN, name)
    make(path)
    return open(path).read()
attempt("a symbolic link", lambda: read_through("soft", lambda path: os.symlink(SECRET, path)))
def list_through():
    path = os.path.join(OWN, "folder")
    os.symlink(FOLDER, path)
    return os.listdir(path)
attempt("a symbolic link to a folder", list_through)
attempt("a hard link", lambda: read_through("hard", lambda path: os.link(SECRET, path)))
attempt("by way of the parents", lambda: open(os.path.join(OWN, *[".."] * 20, SECRET[1:])).read())
attempt("by way of its own descriptors", lambda: open(f"/proc/self/root{SECRET}").read())
#### rights
import os
path = os.path.join(OWN, "mine")
open(path, "w").close()
attempt("lend them by a mode", lambda: os.chmod(path, 0o4755))
attempt("lend them when a file is made", lambda: os.open(os.path.join(OWN, "lent"), os.O_CREAT | os.O_WRONLY, 0o4755))
attempt("lend them by a descriptor", lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o2755))
attempt("make a device", lambda: os.mknod(os.path.join(OWN, "device"), 0o020666, os.makedev(1, 3)))
attempt("become root", lambda: harmful() or os.setuid(0) or os.geteuid() == 0)
attempt("become somebody else", lambda: in_child(lambda: os.setresuid(12345, 12345, 12345)))
attempt("another root", lambda: in_child(lambda: os.chroot(OWN)))
#### what the machine has
import os, sys
attempt("read the secret", lambda: open(SECRET).read())
attempt("look at the secret", lambda: os.stat(SECRET))
attempt("list its folder", lambda: os.listdir(FOLDER))
attempt("see the home folder of the user", lambda: os.listdir(HOME))
attempt("see /etc", lambda: "passwd" in os.listdir("/etc"))
attempt("see devices", lambda: "zero" in os.listdir("/dev"))
attempt("see /sys", lambda: os.listdir("/sys/kernel"))
attempt("read the environment of the gateway", lambda: MARK in str(dict(os.environ)) or MARK in open("/proc/self/environ").read() or refuse())
attempt("read the arguments of others", lambda: open("/proc/1/cmdline").read() != "" or refuse())
attempt("write its own memory", lambda: open("/proc/self/mem", "r+b"))
attempt("change the interpreter", lambda: open(os.__file__, "r+").close())
attempt("remove a module", lambda: harmful() or os.remove(os.__file__))
attempt("write beside it", lambda: harmful() or open(os.path.join(os.path.dirname(os.__file__), "left_by_a_program.py"), "x"))
attempt("mount something", lambda: harmful() or __import__("ctypes").CDLL(None).mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0 or refuse())
#### from a second interpreter
import os, subprocess, sys
def second(source):
    source = f"import os, socket; SECRET = {SECRET!r}; NEIGHBOUR = {NEIGHBOUR!r}\n{source}"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source], capture_output=True, text=True)
    return done.returncode == 0 or refuse(done.stderr.splitlines()[-1:])
attempt("read a file", lambda: second("open(SECRET).read()"))
attempt("make a socket", lambda: second("socket.socket()"))
attempt("signal a process", lambda: second("os.kill(NEIGHBOUR, 0)"))
attempt("map memory for execution", lambda: second("import mmap; mmap.mmap(-1, 4096, prot=7)"))
#### from a copy of itself
attempt("read a file", lambda: in_child(lambda: open(SECRET).read()) == 0 or refuse())
attempt("make a socket", lambda: in_child(lambda: __import__("socket").socket()) == 0 or refuse())
#### through the libraries of others
import sqlite3, zipimport, os
attempt("a database elsewhere", lambda: sqlite3.connect(os.path.join(FOLDER, "x.db")).execute("create table t(x)"))
def attach():
    connection = sqlite3.connect(":memory:")
    connection.execute("attach ? as other", (os.path.join(FOLDER, "y.db"),))
    connection.execute("create table other.t(x)")
attempt("a database that attaches", attach)
attempt("read by a cache of lines", lambda: __import__("linecache").getlines(SECRET) != [] or refuse())
attempt("read by an opener of links", lambda: __import__("urllib.request").request.urlopen("file://" + SECRET).read())
