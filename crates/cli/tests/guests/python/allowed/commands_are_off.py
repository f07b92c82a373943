# expect: output ["command.denied","there is no command `ls`"]
try:
    commands.run("ls", ["-l"])
except ToolError as error:
    result = [error.code, str(error)]
