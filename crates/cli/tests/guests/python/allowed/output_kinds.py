# expect: output [{"x":1,"day":"2024-01-02"},"2024-01-02T03:04:05+00:00","1:00:00","01:02:00",1.1,3,"123456789012345678901234567890.5",[1,2,3],["a"],[1,2],[0,1],[0,1],["1"],[[1,2]],"red",{"a":1,"b":2},{"a":2,"b":1},[1],"00000000-0000-0000-0000-000000000005","a/b","1/3","abc","/w==","(1+2j)",["a"],{"name":"ValueError","message":"x"}]
import collections, dataclasses, datetime, decimal, enum, fractions, pathlib, uuid

@dataclasses.dataclass
class Point:
    x: int
    day: datetime.date

class Color(enum.Enum):
    RED = "red"

Pair = collections.namedtuple("Pair", "a b")
[
    Point(1, datetime.date(2024, 1, 2)), datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc),
    datetime.timedelta(hours=1), datetime.time(1, 2), decimal.Decimal("1.10"), decimal.Decimal("3"),
    decimal.Decimal("123456789012345678901234567890.5"), {3, 1, 2}, frozenset("a"), (1, 2), (n for n in range(2)),
    range(2), map(str, [1]), zip([1], [2]), Color.RED, Pair(1, 2), collections.Counter("aab"),
    collections.deque([1]), uuid.UUID(int=5), pathlib.PurePosixPath("a/b"), fractions.Fraction(1, 3), b"abc",
    b"\xff", 1 + 2j, {"a": 1}.keys(), ValueError("x"),
]
