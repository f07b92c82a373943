"""A program from its text to its output.

In: the text as written. Out: JSON text of its output. The output is the value of
`result`, else of the last expression, else what was printed (which the gateway
has already, so it is nothing here).

Calls of tools work with `await` and without. Without, they wait and give the
answer. Where the text shows that a call is awaited later (an argument of
`asyncio.gather`, a list that is), it must not wait, so such calls are marked
before the text is compiled: `f(x)` becomes `later(f)(x)`, and only functions of
servers know what that means.
"""

import ast

FILE_NAME = "program.py"

# What takes things that are awaited, whoever it belongs to.
TAKERS = {
    "gather", "wait", "wait_for", "create_task", "ensure_future", "as_completed", "shield",
    "run", "run_until_complete", "start_soon",
}

# `inspect.CO_COROUTINE`; the module takes long to import.
COROUTINE = 0x80

LATER, AWAITED = "__later__", "__awaited__"


class Program:
    """A program that compiles."""

    def __init__(self, source):
        tree = ast.parse(without_fence(source), FILE_NAME)
        self.has_value = _keep_last_expression(tree)
        _mark_awaited(tree)
        ast.fix_missing_locations(tree)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.code = compile(tree, FILE_NAME, "exec", flags=flags, dont_inherit=True)
        self.is_async = bool(self.code.co_flags & COROUTINE)


def without_fence(source):
    """The program inside a Markdown fence, on the lines on which it was written."""
    lines = source.splitlines()
    fences = [number for number, line in enumerate(lines) if line.lstrip().startswith("```")]
    if not fences:
        return source
    first, last = fences[0], (fences[1] if len(fences) > 1 else len(lines))
    return "\n".join([""] * (first + 1) + lines[first + 1:last])


# The name under which the value of the last expression is kept.
LAST = "__last__"


def _keep_last_expression(tree):
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return False
    last = tree.body[-1]
    name = ast.Name(id=LAST, ctx=ast.Store())
    tree.body[-1] = ast.copy_location(ast.Assign(targets=[name], value=last.value), last)
    return True


def _mark_awaited(tree):
    for scope in _scopes(tree):
        _Scope(scope).mark()


def _scopes(tree):
    """The module and every function in it. Names are looked up per scope."""
    yield tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node


class _Scope:
    """Finds the calls of one scope whose values are awaited."""

    def __init__(self, scope):
        self.nodes = list(_own_nodes(scope))
        self.names = set()
        self.marked = []

    def mark(self):
        awaited = [node for node in self.nodes if isinstance(node, ast.Await)]
        taken = [argument for node in self.nodes if isinstance(node, ast.Call) and _takes(node)
                 for argument in [*node.args, *(each.value for each in node.keywords)]]
        for expression in [*(node.value for node in awaited), *taken]:
            self.follow(expression)
        # What is awaited by its name was put there by an assignment or an append;
        # following one may name another.
        known = None
        while known != self.names:
            known = set(self.names)
            for node in self.nodes:
                self.follow_name(node)
        for call in self.marked:
            _mark(call)
        for node in awaited:
            node.value = ast.copy_location(_call_of(AWAITED, node.value), node.value)

    def follow(self, expression):
        """This expression is awaited: which calls make its value?"""
        if isinstance(expression, ast.Call):
            if expression not in self.marked:
                self.marked.append(expression)
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
    # `asyncio.gather(...)` that is itself awaited is no call of a tool, but what
    # `later` does to it is nothing.
    call.func = ast.copy_location(_call_of(LATER, call.func), call.func)


def _call_of(name, argument):
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[argument], keywords=[])
