"""Files of a program: `./workspace` is its own, `./servers` and `./skills` can be
read.

`./workspace` is a real folder in the jail. What lies in the other two is known to
the gateway; a file is fetched from there when it is opened for the first time,
and folders when they are listed, so that `open`, `pathlib` and `glob` need not
know. Not a wall: the copies are the program's own.
"""

import os
import sys

from .api import ToolError

HOME = "/tmp"
WORKSPACE, SHOWN = "/tmp/workspace", ("/tmp/servers", "/tmp/skills")


class Shown:
    """Fetches what is looked at."""

    def __init__(self, host):
        self.host, self.fetched, self.busy = host, set(), False

    def install(self):
        sys.addaudithook(self.heard)

    def heard(self, event, arguments):
        if event not in ("open", "os.listdir", "os.scandir", "os.chdir") or self.busy or not arguments:
            return
        path = arguments[0]
        if path is None:
            path = "."
        if not isinstance(path, (str, bytes)):
            return
        path = os.path.realpath(os.fsdecode(path))
        if not any(path == each or path.startswith(each + "/") for each in SHOWN):
            return
        self.busy = True
        try:
            self.fetch(path, folder=event != "open")
        except ToolError:
            # What is not there is missed by the system, with the usual error.
            pass
        finally:
            self.busy = False

    def fetch(self, path, folder):
        if path in self.fetched:
            return
        self.fetched.add(path)
        if not folder and os.path.isdir(path):
            return
        if folder:
            for entry in self.host.ask("readDir", "." + path[len(HOME):]):
                below = os.path.join(path, entry["name"])
                if entry["folder"]:
                    os.makedirs(below, exist_ok=True)
                elif not os.path.exists(below):
                    _write(below, "")
        else:
            _write(path, self.host.ask("readFile", "." + path[len(HOME):]))


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _inside(path):
    """A path of the workspace. `./workspace/a`, `/workspace/a` and `a` are the
    same; `servers/…` and `skills/…` are themselves."""
    parts = [part for part in os.fspath(path).split("/") if part not in ("", ".")]
    if parts[:1] in (["workspace"], ["servers"], ["skills"]):
        return os.path.join(HOME, *parts)
    if os.fspath(path).startswith(HOME + "/"):
        return os.fspath(path)
    return os.path.join(WORKSPACE, *parts)


def read_file(path, encoding="utf-8"):
    """The text of a file in the workspace, of `servers/…` or of `skills/…`."""
    with open(_inside(path), encoding=encoding) as file:
        return file.read()


def write_file(path, content):
    """Writes text, bytes or data (as JSON) into the workspace."""
    from .values import encode
    place = _inside(path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if isinstance(content, (bytes, bytearray)):
        with open(place, "wb") as file:
            file.write(content)
    else:
        with open(place, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else encode(content))
    return "." + place[len(HOME):]


def list_files(path="."):
    """Paths of all files below a folder of the workspace."""
    top = _inside(path) if path not in (".", "", "./") else WORKSPACE
    found = []
    for folder, _, names in os.walk(top):
        found += [os.path.relpath(os.path.join(folder, name), top) for name in names]
    return sorted(found)
