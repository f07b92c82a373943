#### json round trip
import json
data = {"name": "Ada", "tags": ["x", "y"], "nested": {"n": 1.5, "none": None, "ok": True}}
text = json.dumps(data, indent=2, sort_keys=True)
print(text)
print(json.loads(text) == data)
#### json errors
import json
try:
    json.loads('{"a": 1,}')
except json.JSONDecodeError as error:
    print(error.msg.split(" at ")[0].split(":")[0] != "", error.lineno)
#### json custom encoder
import json, datetime
class Encoder(json.JSONEncoder):
    def default(self, value):
        if isinstance(value, datetime.date):
            return value.isoformat()
        return super().default(value)
print(json.dumps({"day": datetime.date(2024, 2, 29)}, cls=Encoder))
#### re groups
import re
line = "2024-01-02 ERROR [auth] user=42 failed"
found = re.match(r"(?P<date>\S+) (?P<level>[A-Z]+) \[(?P<service>\w+)\] user=(\d+)", line)
print(found.groupdict(), found.group(4))
#### re substitution
import re
print(re.sub(r"(\w+)@(\w+)\.com", lambda m: f"{m.group(1)[0]}***@{m.group(2)}", "ann@site.com, bob@other.com"))
print(re.split(r"[,;]\s*", "a, b;c"))
#### re findall
import re
print(re.findall(r"\b[A-Z]{2,}-\d+\b", "see ABC-12 and XY-3, not a-1"))
print([m.span() for m in re.finditer("ab", "abcabab")])
#### math
import math
print(math.gcd(48, 36), math.factorial(20), math.isclose(0.1 + 0.2, 0.3), math.floor(-2.5), math.comb(10, 3))
print(round(math.hypot(3, 4), 3), math.inf > 10**100, math.prod([1, 2, 3, 4]))
#### statistics
import statistics
values = [2.5, 3.1, 4.8, 2.5, 9.9]
print(statistics.mean(values), statistics.median(values), round(statistics.stdev(values), 6), statistics.mode(values))
print(statistics.quantiles(range(1, 11), n=4))
#### datetime arithmetic
from datetime import datetime, timedelta, timezone
start = datetime(2024, 1, 31, 23, 30, tzinfo=timezone.utc)
print((start + timedelta(days=1, minutes=45)).isoformat(), (start - datetime(2023, 12, 25, tzinfo=timezone.utc)).days)
#### datetime parsing
from datetime import datetime, date
moment = datetime.strptime("05/Mar/2024:10:15:30", "%d/%b/%Y:%H:%M:%S")
print(moment, moment.strftime("%A %d %B %Y"), moment.weekday(), date.fromisoformat("2024-03-05").isocalendar()[1])
#### time zones
from datetime import datetime
from zoneinfo import ZoneInfo
paris = datetime(2024, 7, 1, 9, 0, tzinfo=ZoneInfo("Europe/Paris"))
print(paris.astimezone(ZoneInfo("UTC")).isoformat(), paris.astimezone(ZoneInfo("America/New_York")).hour)
#### collections counter
from collections import Counter
words = "the cat and the dog and the bird".split()
print(Counter(words).most_common(2), Counter("aabbb") - Counter("ab"))
#### collections defaultdict
from collections import defaultdict
groups = defaultdict(list)
for name, team in [("ann", "red"), ("bob", "blue"), ("cid", "red")]:
    groups[team].append(name)
print(dict(groups))
#### collections namedtuple and deque
from collections import namedtuple, deque
Point = namedtuple("Point", "x y")
p = Point(1, 2)._replace(y=5)
d = deque(range(5), maxlen=3)
d.appendleft(9)
print(p, p.x + p.y, d, list(reversed(d)))
#### collections chainmap and ordereddict
from collections import ChainMap, OrderedDict
settings = ChainMap({"a": 1}, {"a": 2, "b": 3})
order = OrderedDict(one=1, two=2)
order.move_to_end("one")
print(settings["a"], settings["b"], list(order))
#### itertools
import itertools
print(list(itertools.islice(itertools.count(10, 5), 3)), list(itertools.chain.from_iterable([[1], [2, 3]])))
print([(k, len(list(g))) for k, g in itertools.groupby("aaabbc")], list(itertools.combinations("abc", 2)))
print(list(itertools.accumulate([1, 2, 3, 4])), list(itertools.zip_longest([1, 2], "a", fillvalue="-")))
#### functools
import functools
@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), functools.reduce(lambda a, b: a * b, range(1, 6)), functools.partial(int, base=2)("1011"))
#### csv reading
import csv, io
text = "name,qty\n\"Bolt, small\",3\nNut,4\n"
rows = list(csv.DictReader(io.StringIO(text)))
print(rows, sum(int(row["qty"]) for row in rows))
#### csv writing
import csv, io
out = io.StringIO()
writer = csv.writer(out, quoting=csv.QUOTE_MINIMAL)
writer.writerow(["service", "errors"])
writer.writerows([["a,b", 1], ['say "hi"', 2]])
print(out.getvalue())
#### decimal
from decimal import Decimal, ROUND_HALF_UP, getcontext
getcontext().prec = 30
print(Decimal("0.1") + Decimal("0.2"), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal(1) / Decimal(7))
#### fractions
from fractions import Fraction
print(Fraction(1, 3) + Fraction(1, 6), Fraction("0.125"), float(Fraction(7, 8)))
#### hashlib
import hashlib
print(hashlib.sha256(b"abc").hexdigest(), hashlib.md5("ü".encode()).hexdigest(), hashlib.sha1(b"").hexdigest())
#### hmac and base64
import hmac, hashlib, base64
print(hmac.new(b"key", b"message", hashlib.sha256).hexdigest(), base64.urlsafe_b64encode(b"\xff\xfe?>"), base64.b64decode("aGk="))
#### textwrap
import textwrap
text = "The quick brown fox jumps over the lazy dog and runs away from the angry bear."
print(textwrap.fill(text, 30), textwrap.shorten(text, 25), textwrap.dedent("""
    a
      b
"""), sep="\n")
#### dataclasses
from dataclasses import dataclass, field, asdict, replace
@dataclass(order=True)
class Item:
    price: float
    name: str = "?"
    tags: list = field(default_factory=list)
items = sorted([Item(2.0, "b"), Item(1.5, "a", ["x"])])
print(items[0], asdict(items[0]), replace(items[1], name="z"), Item(1.0) < Item(2.0))
#### dataclass frozen
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class Key:
    a: int
    b: str
print({Key(1, "x"): "found"}[Key(1, "x")])
try:
    Key(1, "x").a = 2
except FrozenInstanceError as error:
    print(type(error).__name__)
#### typing
from typing import Dict, List, Optional, Union, TypedDict, get_type_hints
class Movie(TypedDict):
    title: str
    year: int
def first(xs: List[int], default: Optional[int] = None) -> Union[int, None]:
    return xs[0] if xs else default
movie: Movie = {"title": "Alien", "year": 1979}
print(first([3]), first([]), movie["year"], sorted(get_type_hints(first)))
#### generators
def numbers(limit):
    n = 0
    while n < limit:
        sent = yield n
        n = sent if sent is not None else n + 1
g = numbers(10)
print(next(g), next(g), g.send(7), list(g))
print(sum(x * x for x in range(10) if x % 2))
#### generator delegation
def inner():
    yield 1
    return "done"
def outer():
    value = yield from inner()
    yield value
print(list(outer()))
#### classes and inheritance
class Shape:
    def __init__(self, name):
        self.name = name
    def area(self):
        raise NotImplementedError
    def __repr__(self):
        return f"{type(self).__name__}({self.name}: {self.area():.2f})"
class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r
    def area(self):
        return 3.14159 * self.r ** 2
class Square(Shape):
    def __init__(self, a):
        super().__init__("square")
        self.a = a
    @property
    def side(self):
        return self.a
    def area(self):
        return self.side ** 2
print(sorted([Circle(1), Square(1.5)], key=lambda s: s.area()))
#### class methods and properties
class Temperature:
    count = 0
    def __init__(self, celsius):
        self._c = celsius
        Temperature.count += 1
    @classmethod
    def from_f(cls, f):
        return cls((f - 32) * 5 / 9)
    @staticmethod
    def unit():
        return "C"
    @property
    def c(self):
        return round(self._c, 1)
    @c.setter
    def c(self, value):
        self._c = value
t = Temperature.from_f(212)
t.c = 50
print(t.c, Temperature.count, Temperature.unit())
#### abstract classes
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def run(self): ...
class Real(Base):
    def run(self):
        return "ran"
print(Real().run())
try:
    Base()
except TypeError as error:
    print("abstract" in str(error))
#### operators
class V:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)
    def __eq__(self, o):
        return (self.x, self.y) == (o.x, o.y)
    def __getitem__(self, i):
        return (self.x, self.y)[i]
    def __len__(self):
        return 2
    def __call__(self, k):
        return V(self.x * k, self.y * k)
v = V(1, 2) + V(3, 4)
print(v[0], list(v), len(v), v == V(4, 6), v(2)[1])
#### context managers
from contextlib import contextmanager, suppress, ExitStack
@contextmanager
def step(name):
    print("enter", name)
    try:
        yield name.upper()
    finally:
        print("leave", name)
with step("a") as a, step("b"):
    print(a)
with suppress(KeyError):
    {}["x"]
with ExitStack() as stack:
    print([stack.enter_context(step(n)) for n in "xy"])
#### context manager class
class Managed:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        print("closed", kind.__name__ if kind else None)
        return True
with Managed():
    raise ValueError("x")
print("after")
#### f-strings
name, n, pi = "Ada", 1234567.891, 3.14159
print(f"{name!r:>8}|{n:,.2f}|{pi:.3e}|{n:015.1f}|{255:#x}|{0.256:.1%}|{name:*^9}|{n=:.1f}")
width = 6
print(f"{pi:{width}.2f}", f"{'a' if n else 'b'}", f"{{}}", f"{[x for x in range(3)]}")
#### string methods
s = "  Hello, World  "
print(s.strip().lower().replace("l", "L"), s.split(","), "a-b-c".rpartition("-"), "x".join("abc"), "abc".zfill(5))
print("title case here".title(), "ß".upper(), "Ünïcode".casefold(), "a\tb".expandtabs(4), "%s is %05.1f" % ("x", 2.5))
#### string formatting
print("{0:<6}|{1:>6}|{name}".format("ab", 12, name="z"), "{:,}".format(1234567), format(0.00001234, ".2g"))
#### comprehensions
matrix = [[1, 2, 3], [4, 5, 6]]
print([[row[i] for row in matrix] for i in range(3)], {k: v for k, v in zip("ab", [1, 2])}, {x % 3 for x in range(7)})
print([(x, y) for x in range(3) for y in range(x) if (x + y) % 2])
#### sorting
people = [("ann", 30), ("bob", 25), ("cid", 30)]
print(sorted(people, key=lambda p: (-p[1], p[0])), max(people, key=lambda p: p[1]), sorted("bAc", key=str.lower))
#### unpacking
first, *middle, last = range(6)
(a, b), c = (1, 2), 3
def f(*args, key=None, **rest):
    return args, key, rest
print(first, middle, last, a, b, c, f(*[1, 2], key="k", **{"z": 1}), {**{"a": 1}, "b": 2}, [*"ab", *range(2)])
#### exceptions
class AppError(Exception):
    pass
def risky(n):
    try:
        return 10 / n
    except ZeroDivisionError as error:
        raise AppError("bad") from error
    else:
        return None
    finally:
        print("finally", n)
print(risky(4))
try:
    risky(0)
except AppError as error:
    print(error, type(error.__cause__).__name__)
#### exceptions of several kinds
for value in ("1", "x", None):
    try:
        print(int(value))
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
#### closures and nonlocal
def counter():
    n = 0
    def up(by=1):
        nonlocal n
        n += by
        return n
    return up
c = counter()
print(c(), c(5), c())
#### decorators
import functools
def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) * 2
    return wrapper
def repeat(times):
    def decorate(f):
        return lambda *a: [f(*a) for _ in range(times)]
    return decorate
@twice
def add(a, b):
    "adds"
    return a + b
@repeat(3)
def hi(x):
    return x
print(add(1, 2), add.__name__, add.__doc__, hi("y"))
#### walrus and conditional
data = [1, 5, 8, 12]
print([y for x in data if (y := x * 2) > 8], "big" if (n := len(data)) > 3 else "small", n)
#### sets
a, b = {1, 2, 3}, {2, 3, 4}
print(a & b, a | b, a - b, a ^ b, a <= {1, 2, 3, 4}, frozenset(a) == a, sorted(a, reverse=True))
#### dictionaries
d = {"b": 1, "a": 2}
d.setdefault("c", []).append(3)
d.update(x=9)
print(sorted(d.items(), key=lambda kv: str(kv[1])), d.pop("x"), d.get("zz", 0), list(reversed(list(d))), dict.fromkeys("ab", 0))
#### slices and ranges
xs = list(range(10))
print(xs[::-2], xs[2:-2], xs[-3:], range(10)[3:7:2], "abcdef"[1:4][::-1])
xs[2:5] = ["x"]
del xs[-2:]
print(xs)
#### bytes
b = "héllo".encode("utf-8")
print(b, len(b), b.hex(), bytes.fromhex("00ff"), int.from_bytes(b"\x01\x00", "big"), (1024).to_bytes(2, "little"), bytearray(b"ab")[0])
#### integers and floats
print(2 ** 100, -7 // 2, -7 % 3, divmod(17, 5), int("ff", 16), bin(10), 0.1 + 0.2, round(2.5), round(3.14159, 2), 1e16, float("1e-7"), 10 ** -2)
#### enum
from enum import Enum, IntEnum, auto
class Color(Enum):
    RED = auto()
    BLUE = auto()
class Level(IntEnum):
    LOW = 1
    HIGH = 3
print(Color.RED, Color["BLUE"].value, list(Color), Level.HIGH > Level.LOW, Level(3).name)
#### heapq and bisect
import heapq, bisect
heap = [5, 1, 8, 3]
heapq.heapify(heap)
print([heapq.heappop(heap) for _ in range(4)], heapq.nlargest(2, [4, 9, 2]), bisect.bisect([1, 3, 5], 3))
#### random with a seed
import random
r = random.Random(42)
print(r.randint(1, 100), r.choice("abc"), [round(r.random(), 6) for _ in range(2)], r.sample(range(20), 3))
#### string templates and io
import string, io
print(string.Template("$a and ${b}").substitute(a=1, b=2), string.ascii_lowercase[:5])
buffer = io.StringIO()
print("into", "buffer", sep="-", end="!", file=buffer)
print(buffer.getvalue())
#### urllib.parse and html
from urllib.parse import urlparse, parse_qs, quote, urlencode
import html
u = urlparse("https://user@host.example:8080/a%20b?x=1&x=2&y=#frag")
print(u.hostname, u.port, u.path, parse_qs(u.query), quote("a b/ü"), urlencode({"q": "a&b"}), html.escape("<a>"), html.unescape("&eacute;"))
#### xml
import xml.etree.ElementTree as ET
root = ET.fromstring("<items><item id='1'>A</item><item id='2'>B</item></items>")
print([(i.get("id"), i.text) for i in root.findall("item")], ET.tostring(root).decode())
#### uuid and struct
import uuid, struct
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"), struct.pack(">IH", 1, 2), struct.unpack("<h", b"\x01\x02"), struct.calcsize("IH"))
#### difflib and pprint
import difflib, pprint
print("\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")), difflib.get_close_matches("appel", ["ape", "apple"]))
pprint.pprint({"z": list(range(30)), "a": {"k": "v" * 40}})
#### operator and copy
import operator, copy
rows = [{"n": 2, "l": [1]}, {"n": 1, "l": [2]}]
deep = copy.deepcopy(rows)
deep[0]["l"].append(9)
print(sorted(rows, key=operator.itemgetter("n")), deep, operator.attrgetter("real")(3))
#### files in the own folder
import os, tempfile, pathlib, shutil
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "a.txt").write_text("one\ntwo\n")
with open(folder / "a.txt", "a") as f:
    f.write("three\n")
print((folder / "a.txt").read_text().splitlines(), sorted(p.name for p in folder.iterdir()), os.path.splitext("x.tar.gz"))
shutil.rmtree(folder)
print(folder.exists())
#### gzip, zlib and zipfile
import gzip, zlib, io, zipfile
data = b"hello " * 100
print(len(gzip.decompress(gzip.compress(data))), zlib.crc32(data), zlib.decompress(zlib.compress(data)) == data)
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a/b.txt", "x")
print(zipfile.ZipFile(archive).namelist())
#### sqlite
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t(name text, n integer)")
db.executemany("insert into t values(?, ?)", [("a", 1), ("b", 2), ("a", 5)])
print(db.execute("select name, sum(n) from t group by name order by name").fetchall())
#### asyncio
import asyncio
async def work(n):
    await asyncio.sleep(0.01 * n)
    return n * n
async def main():
    results = await asyncio.gather(*(work(n) for n in (3, 1, 2)))
    task = asyncio.create_task(work(4))
    queue = asyncio.Queue()
    for r in results:
        queue.put_nowait(r)
    return results, await task, queue.qsize(), await asyncio.wait_for(work(1), 1)
print(asyncio.run(main()))
#### async iteration
import asyncio
class Countdown:
    def __init__(self, n):
        self.n = n
    def __aiter__(self):
        return self
    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        return self.n
    async def __aenter__(self):
        return self
    async def __aexit__(self, *a):
        print("closed")
async def main():
    async with Countdown(3) as c:
        return [x async for x in c]
print(asyncio.run(main()))
#### threads
from concurrent.futures import ThreadPoolExecutor
import threading
lock, total = threading.Lock(), 0
def add(n):
    global total
    with lock:
        total += n
    return n * n
with ThreadPoolExecutor(max_workers=4) as pool:
    print(list(pool.map(add, range(10))))
print(total)
#### logging
import logging, sys
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
logging.getLogger("app").info("started %d", 3)
logging.debug("not shown")
logging.warning("careful")
#### main guard and exit code
import sys
def main():
    print("main ran", sys.argv[1:])
if __name__ == "__main__":
    main()
    sys.exit(0)
#### introspection
import inspect
def f(a, b=2, *args, c, **kw) -> int:
    "doc"
print(inspect.signature(f), f.__defaults__, callable(f), isinstance(3, (int, str)), getattr(f, "missing", None), hasattr([], "append"))
#### recursion and memo
def flatten(x):
    return [y for item in x for y in (flatten(item) if isinstance(item, list) else [item])]
def hanoi(n, a="A", b="B", c="C"):
    return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
print(flatten([1, [2, [3, [4]]]]), hanoi(10))
#### print options
print("a", "b", sep="|", end=";\n")
print(*[1, 2, 3], sep=", ")
print()
print(None, True, 1.0, [None, "q'"], ("x",), {"k": {1}})
#### match statements (3.10)
def kind(value):
    match value:
        case {"type": "circle", "r": r}:
            return f"circle {r}"
        case [first, *rest]:
            return f"list of {first} and {len(rest)}"
        case str() as s if len(s) > 3:
            return "long text"
        case int() | float():
            return "number"
        case _:
            return "other"
print([kind(v) for v in ({"type": "circle", "r": 2}, [1, 2, 3], "hello", 5, None)])
