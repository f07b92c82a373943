"""What the table is fitted to: short texts about tools, and random words together.

No labelled query is read. The tools of `testing/search` are, as anybody's tools may be; the decision
note has the results without them.
"""

import json
import random
import re

SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
# How people put a need. What follows is the first sentence of a description.
REQUESTS = [
    "Can you {}?", "I need to {}.", "Please {} for me.", "I want to {}", "How do I {}?",
    "Could you {} and tell me the result?", "Help me {}.", "{} for our team",
    "My friend asked me to {}.", "{}", "First, {}",
]
PAIRS = [
    "{a} {b}", "find {a} {b}", "{a} and {b}", "get the {a} of {t}", "{t} {a} for {b}",
    "how to {a} the {t} {b}", "show me {a} {t}", "{a} {t}", "the {a} {b} of my {t}",
    "search {a} by {b}",
]


def tools(testing):
    """All tools of this repository, without labels."""
    found = [json.loads(line) for line in (testing / "search/tools.jsonl").open()]
    for path in sorted((testing / "catalog").glob("*.json")):
        server = json.loads(path.read_text())
        for tool in server.get("tools", []):
            found.append({**tool, "server": server["server"]})
    return [
        {
            "server": tool["server"],
            "name": tool["name"],
            "description": tool.get("description") or "",
            "parameters": {
                name: str(schema.get("description") or "") if isinstance(schema, dict) else ""
                for name, schema in ((tool.get("inputSchema") or {}).get("properties") or {}).items()
            },
        }
        for tool in found
    ]


def words(text):
    """As `each_word` of `index/terms.rs` does it."""
    out = []
    for run in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text):
        run = re.sub(r"['’](s|S|ll|re|ve|m|d|t)$", "", run)
        run = re.sub("['’]", "", run)
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+|[^\W_]", run)
        out += [part.lower() for part in parts]
    return out


def readable(name):
    return re.sub(r"[_\-./:]+", " ", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)).strip()


def sentences(text):
    parts = (re.sub(r"^[\s\-*#>]+", "", part).strip() for part in SENTENCE.split(text))
    return [part for part in parts if 12 <= len(part) <= 220]


def as_request(sentence):
    """`Lists issues.` as `list issues`."""
    first, *rest = sentence.split()
    verb = first.lower()
    if verb.endswith("ies") and len(verb) > 4:
        verb = verb[:-3] + "y"
    elif re.search(r"(sses|shes|ches|xes)$", verb):
        verb = verb[:-2]
    elif verb.endswith("s") and not verb.endswith("ss") and len(verb) > 3:
        verb = verb[:-1]
    return " ".join([verb, *rest]).rstrip(".")


def about_tools(tools):
    """Names, sentences of descriptions, requests made of them, two requests in one."""
    chance = random.Random(7)
    out, first, requests = [], [], []
    for tool in tools:
        name, own = readable(tool["name"]), sentences(tool["description"])
        server = readable(tool["server"])
        out += [name, f"{server} {name}", f"{server}. {name}. {tool['description'][:500]}"]
        if own:
            first.append(own[0])
            requests.append(chance.choice(REQUESTS).format(as_request(own[0])))
            out += chance.sample(own[1:], min(1, len(own) - 1))
        for parameter, text in tool["parameters"].items():
            for sentence in sentences(text)[:1]:
                whole = f"{name} with {readable(parameter)}: {sentence}"[:200]
                out.append(sentence if chance.random() < 0.6 else whole)
    for _ in range(2500):
        both = chance.choice(requests).rstrip(".?"), as_request(chance.choice(first))
        out.append(" and ".join(both)[:240])
    return list(dict.fromkeys(out + first + requests))


def random_words(vocabulary, common, number=26_000):
    """Words that no tool has must learn their place too."""
    chance = random.Random(11)
    plain = [w for w in vocabulary[1996:24_000] if w.isascii() and w.isalpha() and len(w) > 2]
    out, pool = [], []
    while len(out) < number:
        if len(pool) < 2:
            pool += chance.sample(plain, len(plain))
        form = chance.choice(PAIRS)
        a, b = pool.pop(), pool.pop() if "{b}" in form else ""
        out.append(form.format(a=a, b=b, t=chance.choice(common)))
    return out
