"""Converts values from and to JSON.

In: JSON text from the gateway becomes plain dicts and lists; these dicts also offer
their keys as attributes. Out: values of a program become JSON text, or an error that
names the path of the value that cannot be converted.
"""

import json
import math
import re
import sys

# The gateway does not accept deeper JSON.
DEEPEST = 128

# Maximum characters of the path of a value in an error.
LONGEST = 100


class Record(dict):
    """A dict whose keys can be written as attributes, except for names of dict
    methods."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            pass
        message = f"the dict has no key {name!r}"
        raise AttributeError(message, name=name, obj=self) if _NAMED else AttributeError(message)

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __copy__(self):
        return Record(self)

    def __reduce__(self):
        return (Record, (dict(self),))


try:
    AttributeError("", name="", obj=None)
    _NAMED = True
except TypeError:
    # Before Python 3.10.
    _NAMED = False

_decode = json.JSONDecoder(object_hook=Record).decode


def decode(text):
    """A value from the gateway. A leading line break marks integers that do not fit a
    JavaScript number; here they are ordinary integers."""
    return _decode(text)


class Unfit(Exception):
    """A value that JSON cannot represent."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.hint = hint


# Integers with this many digits may exceed 64 bits.
_LONG_NUMBER = re.compile(r"[0-9]{19}")


# For plain JSON types: nearly all arguments of calls.
_encode_plain = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode


def encode(value, what="output"):
    """JSON text of a value."""
    try:
        text = _encode_plain(value)
        if not _LONG_NUMBER.search(text):
            return text
    except (ValueError, TypeError, RecursionError):
        pass
    walk = _Walk(what)
    try:
        text = json.dumps(value, default=walk.simpler, allow_nan=False, ensure_ascii=False)
        if not _LONG_NUMBER.search(text):
            return text
    except (ValueError, TypeError, RecursionError):
        if walk.raised is not None:
            raise walk.raised
    # Slower, but knows the path of each value.
    try:
        plain = walk.plain(value, "", ())
    except RecursionError:
        raise _too_deep(f"the {what}") from None
    return json.dumps(plain, allow_nan=False, ensure_ascii=False)


def _too_deep(place):
    return Unfit(f"{place} is nested more than {DEEPEST} deep", "return flatter data")


class _Walk:
    def __init__(self, what):
        self.what = what
        # Lists made from iterators, which yield their values only once.
        self.taken = {}
        # An error raised by the program's own code, for example in a generator.
        self.raised = None

    def simpler(self, value):
        """Converts a value that JSON does not have by one step."""
        if id(value) in self.taken:
            return self.taken[id(value)][1]
        try:
            plain = _converted(value)
        except Exception as error:
            self.raised = error
            raise
        if plain is value:
            raise TypeError
        if hasattr(value, "__next__"):
            self.taken[id(value)] = (value, plain)
        return plain

    def plain(self, value, path, above):
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            # The gateway reads 64-bit integers.
            return int(value) if -2**63 <= value < 2**64 else str(value)
        if isinstance(value, float):
            if math.isfinite(value):
                return float(value)
            raise Unfit(f"{self.place(path)} is `{value}`, which JSON cannot hold",
                        "replace it, e.g. by `None`, before it is returned")
        if any(value is other for other in above):
            raise Unfit(f"{self.place(path)} contains itself", "return plain data without cycles")
        if len(above) >= DEEPEST:
            raise _too_deep(self.place(path))
        above = (*above, value)
        if isinstance(value, dict):
            return {self.key(key, path): self.plain(each, f"{path}[{key!r}]", above)
                    for key, each in value.items()}
        if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
            return [self.plain(each, f"{path}[{index}]", above) for index, each in enumerate(value)]
        try:
            simpler = self.simpler(value)
        except TypeError:
            if self.raised is not None:
                raise
            raise Unfit(f"{self.place(path)} is {_kind(value)}, which JSON cannot hold",
                        _hint_for(value)) from None
        return self.plain(simpler, path, above)

    def place(self, path):
        if len(path) > LONGEST:
            path = f"{path[:LONGEST // 2]}…{path[-LONGEST // 2:]}"
        return f"`{self.what}{path}`" if path else f"the {self.what}"

    def key(self, key, path):
        if isinstance(key, str):
            return str(key)
        if key is None or isinstance(key, (bool, int)):
            return json.dumps(key)
        if isinstance(key, float) and not math.isfinite(key):
            raise Unfit(f"a key of {self.place(path)} is `{key}`, which JSON cannot hold", "use text as keys")
        simpler = _converted(key)
        return simpler if isinstance(simpler, str) else str(key)


def _hint_for(value):
    if isinstance(getattr(value, "__self__", None), dict):
        name = value.__name__
        return f"`.{name}` is a method of a dict: write `[{name!r}]` for the key, or call it"
    return "return plain data: dicts, lists, text, numbers, booleans, None"


def _kind(value):
    name = type(value).__name__
    return f"a {name}" if name[:1].lower() not in "aeiou" else f"an {name}"


def _converted(value):
    """The value in simpler types, or itself if there is no conversion."""
    for known, convert in _known_types().items():
        if isinstance(value, known):
            return convert(value)
    if isinstance(value, type):
        return value
    for method in _OWN_METHODS:
        found = getattr(value, method, None)
        if callable(found):
            return found()
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    module = type(value).__module__.partition(".")[0]
    if module in ("numpy", "pandas", "polars"):
        return _of_package(value)
    # Iterators, except files: returning a file does not mean its lines.
    if hasattr(value, "__next__") and not hasattr(value, "fileno") or (hasattr(value, "__iter__") and hasattr(value, "__len__")):
        return list(value)
    return value


# Named tuples, pydantic.
_OWN_METHODS = ("_asdict", "model_dump")


def _of_package(value):
    """Converts values of numpy, pandas and polars without importing them. In their
    tables, NaN marks a missing value."""
    if hasattr(value, "to_dicts"):
        return value.to_dicts()
    if hasattr(value, "columns") and hasattr(value, "to_dict"):
        index = value.index
        if index.name is not None or getattr(getattr(index, "dtype", None), "kind", "i") not in "iu":
            value = value.reset_index()
        return [{key: _or_none(each) for key, each in row.items()} for row in value.to_dict("records")]
    if hasattr(value, "index") and hasattr(value, "to_dict"):
        return {key: _or_none(each) for key, each in value.to_dict().items()}
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    for method in ("isoformat", "tolist", "to_list", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def _or_none(value):
    return None if isinstance(value, float) and value != value else value


def _decimal(value):
    if not value.is_finite():
        return float(value)
    number = int(value) if value == value.to_integral_value() and value.as_tuple().exponent >= 0 else float(value)
    # As text if a number would lose precision.
    return number if type(value)(repr(number)) == value else str(value)


def _bytes(value):
    try:
        return bytes(value).decode("utf-8")
    except UnicodeDecodeError:
        import base64
        return base64.b64encode(bytes(value)).decode("ascii")


def _moment(value):
    # pandas' missing timestamp, `NaT`.
    if value != value:
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _sorted(value):
    try:
        return sorted(value)
    except TypeError:
        return list(value)


_LISTED = (range, type({}.keys()), type({}.values()), type({}.items()), type(_ for _ in ()))

# By module: without an import of the module no such value can exist, and importing all
# of them takes as long as everything else here.
_OF_MODULES = {
    "datetime": (("datetime", "date", "time", "timedelta"), _moment),
    "decimal": (("Decimal",), _decimal),
    "fractions": (("Fraction",), str),
    "enum": (("Enum",), lambda value: value.value),
    "collections": (("deque",), list),
    "types": (("MappingProxyType",), dict),
    "uuid": (("UUID",), str),
    "pathlib": (("PurePath",), str),
}

ALWAYS = {
    set: _sorted, frozenset: _sorted, complex: str, bytes: _bytes, bytearray: _bytes, memoryview: _bytes,
    BaseException: lambda value: {"name": type(value).__name__, "message": str(value)},
    **{each: list for each in _LISTED},
}


def _known_types():
    """The conversions for the types of all modules imported so far."""
    known = dict(ALWAYS)
    for module, (names, convert) in _OF_MODULES.items():
        loaded = sys.modules.get(module)
        known.update((getattr(loaded, name), convert) for name in names if hasattr(loaded, name))
    return known
