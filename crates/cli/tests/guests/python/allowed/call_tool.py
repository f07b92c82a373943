# expect: output ["1","2","3","4","Oslo",{"content":[{"type":"text","text":"raw answers do not raise"}],"isError":true}]
from servers import hostile

[
    call_tool("hostile__echo", {"text": "1"}),
    call_tool("hostile", "echo", {"text": "2"}),
    call_tool("hostile__echo", text="3"),
    await call_tool("hostile__echo", {"text": "4"}),
    call_tool("hostile__structured", {}, raw=True)["structuredContent"]["city"],
    call_tool("hostile__fail", {"message": "raw answers do not raise"}, raw=True),
]
