"""Files of a program: `./workspace` is its own, `./servers` and `./skills` can be
read.

`./workspace` is a real folder in the jail. What lies in the other two is known to
the gateway; a file is fetched from there when it is opened for the first time,
and folders when they are listed, so that `open`, `pathlib` and `glob` need not
know. `stat` tells nobody that it is called, so it is ours. Not a wall: the copies
are the program's own, and read-only so that nobody takes them for more.
"""

import os
import re
import sys

from .api import ToolError

HOME = "/tmp"
WORKSPACE, SHOWN = "/tmp/workspace", ("/tmp/servers", "/tmp/skills")


class Shown:
    """Fetches what is looked at."""

    def __init__(self, host):
        self.host, self.fetched, self.busy = host, set(), False

    def install(self):
        try:
            os.makedirs(WORKSPACE, exist_ok=True)
            for folder in SHOWN:
                os.makedirs(folder, exist_ok=True)
                _mode(folder, SHUT)
        except PermissionError:
            # Without a root of its own the jail has no folder that is the program's.
            return
        sys.addaudithook(self.heard)
        for name in ("stat", "lstat"):
            setattr(os, name, self.looking(getattr(os, name)))

    def looking(self, system):
        """A `stat` that knows what could be fetched."""
        def stat(path, *positional, **named):
            if isinstance(path, (str, os.PathLike)) and _NAMES.search(os.fspath(path)):
                self.heard("stat", (os.fspath(path),))
            return system(path, *positional, **named)
        stat.__name__ = stat.__qualname__ = system.__name__
        for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if system in able:
                able.add(stat)
        return stat

    def heard(self, event, arguments):
        if event not in LOOKS or self.busy or not arguments:
            return
        path = arguments[0]
        if path is None:
            path = "."
        if not isinstance(path, (str, bytes)):
            return
        self.busy = True
        try:
            path = os.path.realpath(os.fsdecode(path))
            if not path.startswith(SHOWN):
                return
            if event == "stat" and os.path.dirname(path) in SHOWN:
                self.fetch(os.path.dirname(path), folder=True)
            elif event != "stat" or path not in SHOWN:
                self.fetch(path, folder=event not in ("open", "stat"))
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
                if not os.path.exists(below):
                    _make(below, None if entry["folder"] else "")
        else:
            _make(path, self.host.ask("readFile", "." + path[len(HOME):]))


# Rights of folders and files that are shown.
SHUT, OPEN, READ = 0o555, 0o755, 0o444

# After these we are asked whether there is something to fetch.
LOOKS = ("open", "os.listdir", "os.scandir", "os.chdir", "stat")

_NAMES = re.compile("servers|skills")


def _make(path, text):
    """A file with this text, or without one a folder."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        _make(folder, None)
    _mode(folder, OPEN)
    try:
        if text is None:
            os.mkdir(path, SHUT)
            return
        if os.path.exists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        _mode(path, READ)
    finally:
        _mode(folder, SHUT)


def _mode(path, mode):
    try:
        os.chmod(path, mode)
    except OSError:
        # Where the jail has no root of its own, rights stay as they are.
        pass


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
