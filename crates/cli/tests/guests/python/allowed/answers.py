# expect: output {"structured":{"city":"Oslo","degrees":-3.5,"days":["mon","tue"],"station":null},"attributes":["Oslo","mon",1],"null":null,"empty":null,"nested":1,"text":"42","blocks":["text","image","audio","resource_link","resource","resource"],"large":9007199254740994}
from servers import hostile

answer = hostile.structured()
assert isinstance(answer, dict)
{
    "structured": answer,
    "attributes": [answer.city, answer.days[0], answer.get("nope", 1)],
    "null": hostile.structured_null(),
    "empty": hostile.empty(),
    "nested": hostile.echo(text='{"a":[{"b":1}]}').a[0].b,
    "text": hostile.echo(text="42"),
    "blocks": [block.type for block in hostile.media()],
    "large": hostile.echo(text='{"n": 9007199254740993}').n + 1,
}
