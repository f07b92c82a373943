# expect: output ["2024-01-01","hi","3.5","x"]
import datetime, dataclasses, decimal

@dataclasses.dataclass
class Question:
    text: str

[servers.hostile.echo(text=datetime.date(2024, 1, 1)), servers.hostile.echo(dataclasses.asdict(Question("hi"))),
 servers.hostile.add(a=decimal.Decimal("1.5"), b=2), servers.hostile.echo(text="x", more=...)]
