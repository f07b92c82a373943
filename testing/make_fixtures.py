#!/usr/bin/env python3
"""Makes the input files of the end-to-end tests and the answers to them.

In:  an output folder (new or empty) and a seed.
Out: `logs/`, `notes/`, `repo/` (a git repository) and `expected.json`.

Must stay true: one seed gives the same bytes on every machine. All sections
share one random stream, so the order of the draws IS the format: sections that
write no file here (sales, customers, events, site, form) are still drawn, since
everything after them depends on it and since their answers are in
`expected.json`.
"""

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder to fill; must be new or empty")
    parser.add_argument("seed", type=int, nargs="?", default=7)
    arguments = parser.parse_args()
    if arguments.out.exists() and any(arguments.out.iterdir()):
        sys.exit(f"error: `{arguments.out}` is not empty")
    arguments.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(make_all(arguments.out, arguments.seed), indent=1)
    (arguments.out / "expected.json").write_text(text)
    print(text)


def make_all(out, seed):
    """The order of these calls is the order of the draws; see the module text."""
    draw = random.Random(seed)
    expected = {"seed": seed}
    expected["logs"] = make_logs(draw, out / "logs")
    expected["sales"] = draw_sales(draw)
    customers = draw_customers(draw)
    expected["customers"] = describe_customers(customers)
    expected["events"] = draw_events(draw, customers)
    expected["notes"] = make_notes(draw, out / "notes")
    expected["site"] = draw_site(draw)
    expected["form"] = draw_form(draw)
    expected["repo"] = make_repo(draw, out / "repo")
    return expected


# ---------------------------------------------------------------- logs

SERVICES = ["auth", "billing", "cart", "search", "mail", "gateway", "stock"]
# Weights by repetition: 12 of 17 lines are INFO, 3 WARN, 2 ERROR.
LEVELS = ["INFO"] * 12 + ["WARN"] * 3 + ["ERROR"] * 2
LOG_FILES = 1000
FIRST_SECOND = datetime.datetime(2026, 1, 1)
THIRTY_DAYS = 30 * 24 * 60 * 60


def make_logs(draw, folder):
    folder.mkdir()
    errors = Counter()
    latencies = defaultdict(list)
    for number in range(LOG_FILES):
        lines = []
        for _ in range(draw.randint(20, 60)):
            service = draw.choice(SERVICES)
            level = draw.choice(LEVELS)
            latency = int(draw.lognormvariate(4, 0.8))
            moment = FIRST_SECOND + datetime.timedelta(seconds=draw.randrange(THIRTY_DAYS))
            request = draw.randrange(10**8)
            lines.append(f"{moment.isoformat()}Z {level} {service} latency={latency} id={request:08d}")
            latencies[service].append(latency)
            if level == "ERROR":
                errors[service] += 1
        (folder / f"{number:04d}.log").write_text("".join(line + "\n" for line in lines))
    return {
        "files": LOG_FILES,
        "lines": sum(len(values) for values in latencies.values()),
        "errors_total": sum(errors.values()),
        "errors_by_service": by_key(errors),
        "p95_by_service": {name: nearest_rank_95(latencies[name]) for name in sorted(latencies)},
    }


def nearest_rank_95(values):
    rank = (95 * len(values) + 99) // 100
    return sorted(values)[max(rank, 1) - 1]


# ---------------------------------------------------------------- sales, customers, events

REGIONS = ["north", "south", "east", "west"]
PRODUCTS = ["anvil", "bolt", "cog", "drum", "emery", "flange"]
ORDERS = 5000


def draw_sales(draw):
    revenue = Counter()
    pieces = Counter()
    for _ in range(ORDERS):
        region = draw.choice(REGIONS)
        product = draw.choice(PRODUCTS)
        quantity = draw.randint(1, 20)
        cents = draw.randint(99, 9999)
        draw.randint(1, 12)  # the month of the order
        draw.randint(1, 28)  # the day
        revenue[region, product] += quantity * cents
        pieces[product] += quantity
    best = sorted(revenue, key=lambda pair: (-revenue[pair], pair))[:5]
    return {
        "rows": ORDERS,
        "revenue_cents_total": sum(revenue.values()),
        "top5": [[region, product, revenue[region, product]] for region, product in best],
        "qty_by_product": by_key(pieces),
    }


TIERS = ["free", "pro", "corp"]
ZONES = ["Europe/Paris", "America/New_York", "Asia/Tokyo", "Australia/Sydney", "UTC"]
CUSTOMERS = 200


def draw_customers(draw):
    """Rows of (tier, zone, monthly cents); the customer's number is the index plus one."""
    return [
        (draw.choice(TIERS), draw.choice(ZONES), draw.randrange(0, 50000, 50)) for _ in range(CUSTOMERS)
    ]


def describe_customers(customers):
    cents = Counter()
    for tier, _, monthly in customers:
        cents[tier] += monthly
    return {
        "count": CUSTOMERS,
        "mrr_by_tier": by_key(cents),
        "count_by_tier": by_key(Counter(tier for tier, _, _ in customers)),
        "count_by_tz": by_key(Counter(zone for _, zone, _ in customers)),
    }


EVENTS = 20000


def draw_events(draw, customers):
    bought = Counter()
    purchases = 0
    for _ in range(EVENTS):
        customer = draw.randint(1, CUSTOMERS)
        kind = draw.choice(["view", "click", "buy"])
        cents = draw.randrange(0, 100000)
        if kind == "buy":
            bought[customers[customer - 1][0]] += cents
            purchases += 1
    return {"rows": EVENTS, "buy_cents_by_tier": by_key(bought), "buy_count": purchases}


# ---------------------------------------------------------------- notes

NOTES = [f"note{number:02d}" for number in range(50)]
TAGS = ["idea", "todo", "ref", "law", "ops"]


def make_notes(draw, folder):
    folder.mkdir()
    tag_counts = Counter()
    in_degree = Counter()
    for note in NOTES:
        tag_count = draw.randint(1, 3)
        tags = draw.sample(TAGS, tag_count)
        link_count = draw.randint(0, 5)
        links = draw.sample([other for other in NOTES if other != note], link_count)
        tag_counts.update(tags)
        in_degree.update(links)
        body = " ".join(f"see [[{link}]]." for link in links)
        (folder / f"{note}.md").write_text(f"# {note}\ntags: {', '.join(tags)}\n\n{body}\n")
    most_linked = min(in_degree, key=lambda note: (-in_degree[note], note))
    return {
        "entities": len(NOTES),
        "relations": sum(in_degree.values()),
        "most_linked": most_linked,
        "most_linked_in_degree": in_degree[most_linked],
        "tags": by_key(tag_counts),
    }


# ---------------------------------------------------------------- site, form

PAGES = 12


def draw_site(draw):
    items = []
    for page in range(PAGES):
        for position in range(draw.randint(5, 9)):
            cents = draw.randint(100, 99999)
            in_stock = draw.random() < 0.7
            items.append((cents, f"SKU-{page:02d}{position:02d}", in_stock))
    return {
        "pages": PAGES,
        "items": len(items),
        "sum_cents": sum(cents for cents, _, _ in items),
        "in_stock": sum(in_stock for _, _, in_stock in items),
        "dearest": max(items)[1],
    }


def draw_form(draw):
    names = [f"user-{draw.randrange(10**6):06d}" for _ in range(20)]
    return {name: f"C{djb2(name)}" for name in names}


def djb2(text):
    """The hash that the form page computes in the browser."""
    value = 5381
    for character in text:
        value = (value * 33 + ord(character)) % 2**32
    return value


# ---------------------------------------------------------------- repo

AUTHORS = ["Ada", "Bob", "Cyd", "Dee"]
KINDS = ["feat", "fix", "docs"]
COMMITS = 30


def make_repo(draw, folder):
    git(folder.parent, "init", "-q", "-b", "main", folder.name)
    authors = Counter()
    kinds = Counter()
    functions = Counter()
    for number in range(COMMITS):
        author = draw.choice(AUTHORS)
        kind = draw.choice(KINDS)
        name = f"mod{draw.randrange(6)}.py"
        count = draw.randint(1, 3)
        source = "".join(draw_function(draw, f"f{number}_{index}") for index in range(count))
        with open(folder / name, "a") as module:
            module.write(source)
        authors[author] += 1
        kinds[kind] += 1
        functions[name] += count
        # Two commits a day, at 8 and at 12.
        date = f"2026-02-{1 + number // 2:02d}T{8 + number % 2 * 4:02d}:00:00+00:00"
        git(folder, "add", "--all")
        git(folder, "commit", "-q", "-m", f"{kind}: change {number} in {name}", person=(author, date))
    # For the commits that a test makes.
    git(folder, "config", "user.name", "bench")
    git(folder, "config", "user.email", "bench@example.com")
    return {
        "commits": COMMITS,
        "by_author": by_key(authors),
        "by_kind": by_key(kinds),
        "functions_by_file": by_key(functions),
        "functions_total": sum(functions.values()),
        "head": git(folder, "rev-parse", "HEAD").strip(),
    }


def draw_function(draw, name):
    limit = draw.randrange(99)
    factor = draw.randrange(1, 9)
    otherwise = draw.randrange(99)
    return f"def {name}(x):\n    if x > {limit}:\n        return x * {factor}\n    return {otherwise}\n\n\n"


def git(folder, *arguments, person=None):
    # The user's git settings (signing, hooks, line ends) would change the hashes.
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    if person:
        name, date = person
        for role in ("AUTHOR", "COMMITTER"):
            environment[f"GIT_{role}_NAME"] = name
            environment[f"GIT_{role}_EMAIL"] = f"{name.lower()}@example.com"
            environment[f"GIT_{role}_DATE"] = date
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def by_key(counter):
    return {key: counter[key] for key in sorted(counter)}


if __name__ == "__main__":
    main()
