"""Files of a program: `./workspace` is its own; `./servers` and `./skills` are
read-only.

`./workspace` is a real folder in the jail. The gateway holds the contents of the
other two: a file is fetched when it is first opened, a folder when it is listed, so
`open`, `pathlib` and `glob` work as usual. `stat` raises no audit event, so we wrap
it. Not a security boundary: the copies belong to the program, and are read-only so
that nobody expects a change to have an effect.
"""

import os
import re
import sys

from .api import ToolError

HOME = "/tmp"
WORKSPACE, SHOWN = "/tmp/workspace", ("/tmp/servers", "/tmp/skills")


class Shown:
    """Fetches files and folders when they are accessed."""

    def __init__(self, host):
        self.host, self.fetched, self.busy = host, set(), False

    def install(self):
        try:
            os.makedirs(WORKSPACE, exist_ok=True)
            for folder in SHOWN:
                os.makedirs(folder, exist_ok=True)
                _mode(folder, SHUT)
        except PermissionError:
            # A jail without a private root has no folder for the program.
            return
        sys.addaudithook(self.heard)
        for name in ("stat", "lstat"):
            setattr(os, name, self.looking(getattr(os, name)))

    def looking(self, system):
        """Wraps `stat` so that it fetches first."""
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
            # For a missing file, the system call itself fails with the usual error.
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


# Permissions of the folders and files in `SHOWN`.
SHUT, OPEN, READ = 0o555, 0o755, 0o444

# The audit events, and our own `stat`, that may require a fetch.
LOOKS = ("open", "os.listdir", "os.scandir", "os.chdir", "stat")

_NAMES = re.compile("servers|skills")


def _make(path, text):
    """Creates a file with this text, or a folder if there is none."""
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
        # Without a private root, permissions stay as they are.
        pass


def _inside(path):
    """Resolves a path in the workspace. `./workspace/a`, `/workspace/a` and `a` are the
    same; `servers/…` and `skills/…` stay as they are."""
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
