# Begins: our scripts become modules, and one run is served.
#
# In: `SCRIPTS`, pairs of a name and a text; the arguments are the first frame to
# send, in hexadecimal digits, a library with which to be forked instead, or nothing,
# and a folder of packages, or nothing.


def start():
    import os
    import sys
    import types

    package = types.ModuleType("_tidegate")
    package.__path__ = []
    sys.modules["_tidegate"] = package
    for name, source in SCRIPTS:
        module = types.ModuleType(f"_tidegate.{name}")
        module.__package__ = "_tidegate"
        sys.modules[module.__name__] = module
        setattr(package, name, module)
        exec(compile(source, f"<tidegate {name}>", "exec", dont_inherit=True), module.__dict__)
    hello, library, packages = bytes.fromhex(sys.argv[1]), sys.argv[2], sys.argv[3]
    sys.argv = ["program.py"]
    if packages:
        sys.path.append(packages)
    if library:
        hello = package.zygote.born(library)
    # Not `sys.exit`: nothing is left to be cleared up, and it would take its time.
    os._exit(package.worker.serve(0, hello))


start()
