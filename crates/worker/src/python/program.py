"""Compiles a program, and defines its output.

In: the text as written. Out: code. The output is the value of `result`, else of the
last expression, else the printed text (which the gateway already has, so the output
is None here).

Tool calls work with and without `await`. Without it, they wait and return the
answer. If the text shows that a call is awaited later (as an argument of
`asyncio.gather`, or in a list that is one), it must not wait, so such calls are
marked before the text is compiled: `f(x)` becomes `later(f)(x)`, which only affects
functions of servers. Where an awaitable is expected, a plain value is accepted as
well.

Also, a top-level `return` is the output, a `main` that nothing calls is called, and
a program that is indented as a whole is dedented.
"""

import ast
import re

FILE_NAME = "program.py"

# Names of functions and methods, of any owner, that take awaitables.
TAKERS = {
    "gather", "wait", "wait_for", "create_task", "ensure_future", "as_completed", "shield",
    "run", "run_until_complete", "start_soon",
}

# `inspect.CO_COROUTINE`; importing the module takes long.
COROUTINE = 0x80

LATER, AWAITED, TAKER = "__later__", "__awaited__", "__taker__"
RETURN, RETURNED = "__return__", "__returned__"


class Program:
    """A program that compiles."""

    def __init__(self, source):
        tree = _parsed(without_fence(source))
        _call_main(tree)
        _keep_last_expression(tree)
        _Top(tree).visit(tree)
        _mark_awaited(tree)
        ast.fix_missing_locations(tree)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.code = compile(tree, FILE_NAME, "exec", flags=flags, dont_inherit=True)
        self.is_async = bool(self.code.co_flags & COROUTINE)


FENCE = "```"


def without_fence(source):
    """The program inside a Markdown fence, on its original lines. Fences in strings of
    the program belong to the program. The same as in the crate `model`."""
    lines = source.split("\n")
    # The quotes that end the string in which a line begins.
    ending, first = None, None
    for number, line in enumerate(lines):
        if ending is None and line.lstrip().startswith(FENCE):
            if first is not None:
                return _blanked(lines, first, number)
            first = number
            continue
        for quotes in _QUOTES.findall(line):
            ending = None if quotes == ending else ending or quotes
    if first is None:
        return source
    # Triple quotes in a comment hid the end: take the last fence line.
    bare = [number for number, line in enumerate(lines) if line.strip() == FENCE and number > first]
    return _blanked(lines, first, bare[-1] if bare else len(lines))


_QUOTES = re.compile(r"\"{3}|'{3}")


def _blanked(lines, first, last):
    return "\n".join([""] * (first + 1) + lines[first + 1:last])


def _parsed(source):
    try:
        return ast.parse(source, FILE_NAME)
    except IndentationError:
        import textwrap
        moved = textwrap.dedent(source)
        if moved == source:
            raise
        return ast.parse(moved, FILE_NAME)


def _call_main(tree):
    """Calls `main` if the program consists of declarations only."""
    declared = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
                ast.Assign, ast.AnnAssign)
    mains = [each for each in tree.body if getattr(each, "name", None) == "main"
             and isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _needs(each.args)]
    only = all(isinstance(each, declared) or _is_text(each) for each in tree.body)
    if not mains or not only:
        return
    named = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
    if not named & {"main", "result"}:
        tree.body.append(ast.copy_location(ast.Expr(_call_of("main")), mains[-1]))


def _needs(arguments):
    given = len(arguments.posonlyargs) + len(arguments.args)
    return given > len(arguments.defaults) or None in arguments.kw_defaults


def _is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


# The variable that holds the value of the last expression.
LAST = "__last__"


def _keep_last_expression(tree):
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return
    last = tree.body[-1]
    name = ast.Name(id=LAST, ctx=ast.Store())
    tree.body[-1] = ast.copy_location(ast.Assign(targets=[name], value=last.value), last)


class Returned(BaseException):
    """The end of a program by `return`."""

    def __init__(self, value):
        super().__init__("returned")
        self.value = value


def returned(value=None):
    raise Returned(value)


class _Top(ast.NodeTransformer):
    """Rewrites what Python does not allow at the top level: `return`, and
    `asyncio.run` beside `await`."""

    def __init__(self, tree):
        awaits = (ast.Await, ast.AsyncFor, ast.AsyncWith)
        self.awaits = any(isinstance(node, awaits) for node in _own_nodes(tree))

    def stay(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = stay

    def visit_Return(self, node):
        self.generic_visit(node)
        given = [] if node.value is None else [node.value]
        return ast.copy_location(ast.Expr(_call_of(RETURNED, *given)), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if self.awaits and len(node.args) == 1 and ast.dump(node.func) == _ASYNCIO_RUN:
            return ast.copy_location(ast.Await(node.args[0]), node)
        return node


_ASYNCIO_RUN = ast.dump(ast.parse("asyncio.run", mode="eval").body)


def _mark_awaited(tree):
    called = set()
    scopes = list(_scopes(tree))
    for scope in scopes:
        _Scope(scope, called).mark()
    # A function whose value is awaited by its caller, and that returns the value of
    # another call: whether that call may wait is known only when it runs.
    for scope in scopes:
        if isinstance(scope, ast.FunctionDef) and scope.name in called:
            for node in _own_nodes(scope):
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Call):
                    call = node.value
                    call.func = ast.copy_location(_call_of(RETURN, call.func), call.func)


def _scopes(tree):
    """The module and every function in it. Names are looked up per scope."""
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node


class _Scope:
    """Finds the calls of one scope whose values are awaited."""

    def __init__(self, scope, called):
        self.nodes = list(_own_nodes(scope))
        self.names = set()
        # Names of functions of the program whose value may be awaited.
        self.called = called
        self.marked = []

    def mark(self):
        awaited = [node for node in self.nodes if isinstance(node, ast.Await)]
        takers = [node for node in self.nodes if isinstance(node, ast.Call) and _takes(node)]
        taken = [argument for node in takers
                 for argument in [*node.args, *(each.value for each in node.keywords)]]
        for expression in [*(node.value for node in awaited), *taken]:
            self.follow(expression)
        # An awaited name got its value by an assignment or an append; following one
        # may lead to another name.
        known = None
        while known != self.names:
            known = set(self.names)
            for node in self.nodes:
                self.follow_name(node)
        for call in self.marked:
            _mark(call)
        for call in takers:
            call.func = ast.copy_location(_call_of(TAKER, call.func), call.func)
        for node in awaited:
            node.value = ast.copy_location(_call_of(AWAITED, node.value), node.value)

    def follow(self, expression):
        """Marks the calls that produce the value of this awaited expression."""
        if isinstance(expression, ast.Call):
            if expression not in self.marked:
                self.marked.append(expression)
            function = expression.func
            self.called.add(getattr(function, "id", None) or getattr(function, "attr", None))
        elif isinstance(expression, ast.Name):
            self.names.add(expression.id)
        elif isinstance(expression, (ast.Starred, ast.Await, ast.NamedExpr)):
            self.follow(expression.value)
        elif isinstance(expression, (ast.List, ast.Tuple, ast.Set)):
            for each in expression.elts:
                self.follow(each)
        elif isinstance(expression, ast.Dict):
            for each in expression.values:
                self.follow(each)
        elif isinstance(expression, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            self.follow(expression.elt)
        elif isinstance(expression, ast.DictComp):
            self.follow(expression.value)
        elif isinstance(expression, ast.IfExp):
            self.follow(expression.body)
            self.follow(expression.orelse)
        elif isinstance(expression, ast.Subscript):
            self.follow(expression.value)

    def follow_name(self, node):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(self.is_awaited(target) for target in targets):
                self.follow(node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            # `for task in tasks: await task`
            if self.is_awaited(node.target):
                self.follow(node.iter)
        elif (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
              and node.func.attr in ("append", "add", "extend", "insert")
              and self.is_awaited(node.func.value)):
            for argument in node.args:
                self.follow(argument)

    def is_awaited(self, target):
        while isinstance(target, (ast.Subscript, ast.Starred)):
            target = target.value
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(self.is_awaited(each) for each in target.elts)
        return isinstance(target, ast.Name) and target.id in self.names


def _own_nodes(scope):
    """The nodes of a scope without those of functions inside it."""
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, inner):
            waiting.extend(ast.iter_child_nodes(node))


def _takes(call):
    function = call.func
    if isinstance(function, ast.Attribute):
        # `asyncio.run(...)`, not `commands.run(...)`.
        if function.attr == "run":
            return isinstance(function.value, ast.Name) and function.value.id in ("asyncio", "runner", "anyio")
        return function.attr in TAKERS
    return isinstance(function, ast.Name) and function.id in TAKERS - {"run", "wait"}


def _mark(call):
    # An awaited `asyncio.gather(...)` is not a tool call, but `later` returns it
    # unchanged.
    call.func = ast.copy_location(_call_of(LATER, call.func), call.func)


def _call_of(name, *arguments):
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])
