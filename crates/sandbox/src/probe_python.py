# Run by each candidate: prints where this Python is and what belongs to it.
import json, os, sys, sysconfig
base = getattr(sys, "_base_executable", None) or sys.executable
print(json.dumps({
    "program": os.path.realpath(base),
    "version": list(sys.version_info[:3]),
    "implementation": sys.implementation.name,
    "library": [sysconfig.get_path(name, vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix,
                                               "installed_base": sys.base_prefix,
                                               "installed_platbase": sys.base_exec_prefix})
                for name in ("stdlib", "platstdlib")],
    # Only since 3.10.
    "modules": sorted(getattr(sys, "stdlib_module_names", ())),
}))
