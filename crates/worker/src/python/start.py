# The entry point: loads our scripts as modules and serves one run.
#
# In, as arguments: the first frame to send, in hexadecimal; the library of a zygote, or
# nothing; a folder of packages, or nothing. The output of `compile.py` arrives on the
# channel before anything else.


def start():
    import marshal
    import os
    import sys
    import types

    def read(left):
        data = bytearray()
        while len(data) < left:
            piece = os.read(0, left - len(data))
            if not piece:
                os._exit(2)
            data += piece
        return bytes(data)

    _, hello, library, packages = sys.argv
    version, _, scripts = read(int.from_bytes(read(4), "little")).partition(b"\0")
    # Bytecode from another version could do anything.
    if version != sys.version.encode():
        os._exit(2)
    package = types.ModuleType("_tidegate")
    package.__path__ = []
    sys.modules["_tidegate"] = package
    for name, code in marshal.loads(scripts):
        if name == "zygote" and not library:
            continue
        module = types.ModuleType(f"_tidegate.{name}")
        module.__package__ = "_tidegate"
        sys.modules[module.__name__] = module
        setattr(package, name, module)
        exec(code, module.__dict__)
    hello = bytes.fromhex(hello)
    sys.argv = ["program.py"]
    if packages:
        sys.path.append(packages)
    if library:
        hello = package.zygote.born(library)
    # Not `sys.exit`: there is nothing left to clean up, and it would take time.
    os._exit(package.worker.serve(0, hello))


start()
