#!/usr/bin/env python3
"""Makes names.bin and fold.bin, the tables that the name finder reads.

    pip install Faker==40.54.0 names==0.3.0 symspellpy==6.10.1
    python3 make.py

In: the word lists of those packages (origin and licences: README.md).
Out: names.bin, a hash table of words with what is known of each; fold.bin, the
plain letter for each accented Latin letter. The same packages give the same bytes.
"""
import collections
import importlib
import os
import struct
import unicodedata

import faker
import names
import symspellpy

GIVEN, SURNAME, STRONG_GIVEN, STRONG_SURNAME, WORD, PLACE, CALENDAR, VERY_COMMON = (1 << i for i in range(8))
HERE = os.path.dirname(os.path.abspath(__file__))
ENDS = ("ing", "ed", "er", "ers", "ly", "ness", "ful", "less", "ish", "ier", "iest", "able", "ment", "al", "ity", "ive", "ation", "y", "ally")
# Words are made from these, and still they are names nearly always.
MOSTLY_NAMES = set("peter harry john jack frank henry martin carol tony jerry victor eric dan tim sam ben tom joe jim bob ted ron ken "
                   "adam paul oliver rob josh daniel nick rick christian jean philip dean jenny nancy sally polly molly betty".split())
# Places that are given names or surnames too, and that the lists below do not hold.
PLACES = ("paris london florence austin charlotte sydney victoria georgia virginia carolina jordan chad israel kenya india china asia america "
          "madison jackson lincoln houston dallas denver orlando phoenix aurora savannah brooklyn chelsea verona vienna siena roma milan "
          "santiago valencia cordoba leon merida barcelona sofia geneva kingston hamilton wellington perth adelaide melbourne darwin cairo "
          "medina salem troy francisco angeles diego antonio montana dakota alabama philadelphia catalina lourdes berlin odessa "
          "alexandria lyon nice nancy cologne essen worms bremen augusta helena lansing boston bristol chester lancaster york").split()
PROVIDERS = os.path.join(os.path.dirname(faker.__file__), "providers")
# Letters without a decomposition. One letter each, so that folding never grows a word.
SPECIAL = {"ß": "s", "æ": "a", "œ": "o", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "t", "ı": "i", "ħ": "h",
           "ŋ": "n", "ŧ": "t", "ĸ": "k", "ə": "e", "ẞ": "s"}
FOLDED = [(0xC0, 0x250), (0x1E00, 0x1F00)]


def fold_char(c):
    c = c.lower()[:1]
    if c in SPECIAL:
        return SPECIAL[c]
    base = unicodedata.normalize("NFD", c)[0]
    return SPECIAL.get(base, base)


def fold(word):
    out = []
    for c in word:
        if c in "'’":
            continue
        if any(a <= ord(c) < b for a, b in FOLDED):
            out.append(fold_char(c) if fold_char(c).isascii() else "?")
        else:
            out.append(c.lower() if len(c.lower()) == 1 else c)
    return "".join(out)


def providers(kind):
    for locale in sorted(os.listdir(os.path.join(PROVIDERS, kind))):
        if os.path.exists(os.path.join(PROVIDERS, kind, locale, "__init__.py")):
            yield locale, importlib.import_module(f"faker.providers.{kind}.{locale}").Provider


def values(x):
    for v in x:
        if isinstance(v, str):
            yield v
        elif isinstance(v, (tuple, list)):
            yield from values(v)


def lists(kind, *wanted):
    """(locale, attribute, value) of every list of that kind whose name holds a wanted part."""
    for locale, provider in providers(kind):
        for attribute in sorted(dir(provider)):
            x = getattr(provider, attribute)
            if isinstance(x, (tuple, list, dict)) and any(w in attribute for w in wanted):
                for v in values(x):
                    if "{{" not in v and "#" not in v:
                        yield locale, attribute, v


def words(value):
    for part in value.replace("-", " ").replace(".", " ").replace(",", " ").replace("(", " ").replace(")", " ").split():
        if len(part) >= 2 and all(c.isalpha() or c in "'’" or unicodedata.category(c)[0] == "M" for c in part):
            yield fold(part)


def main():
    flags = collections.Counter()
    given, surname = collections.defaultdict(set), collections.defaultdict(set)
    particles = {"de", "la", "del", "van", "von", "der", "den", "di", "da", "dos", "das", "do", "du", "le", "el", "al", "bin",
                 "ibn", "ben", "ter", "ten", "ve", "mr", "mrs", "dr", "md", "jr", "sr", "of", "the", "los", "las"}
    for locale, _, v in lists("person", "first_name", "first_romanized", "middle_name"):
        for w in words(v):
            given[w].add(locale[:2])
    for locale, _, v in lists("person", "last_name", "last_romanized"):
        for w in words(v):
            surname[w].add(locale[:2])
    base = os.path.dirname(names.__file__)
    for file, table, top in (("dist.male.first", given, 500), ("dist.female.first", given, 900), ("dist.all.last", surname, 4000)):
        for rank, line in enumerate(open(os.path.join(base, file))):
            w = fold(line.split()[0])
            if len(w) >= 2:
                table[w].update({"us"} if rank >= top else {"us", "us-top", "us-top2"})
    for w, where in given.items():
        if w not in particles:
            flags[w] |= GIVEN | (STRONG_GIVEN if len(where) >= 3 else 0)
    for w, where in surname.items():
        if w not in particles:
            flags[w] |= SURNAME | (STRONG_SURNAME if len(where) >= 3 else 0)

    path = os.path.join(os.path.dirname(symspellpy.__file__), "frequency_dictionary_en_82_765.txt")
    english = {fold(line.split()[0]): rank for rank, line in enumerate(open(path, encoding="utf-8-sig"))}
    for w, rank in english.items():
        # The list holds names too. A name counts as a word only if words are made from it.
        made = any(w + end in english or w[-1] == "e" and w[:-1] + end in english for end in ENDS)
        made |= english.get(w + "s", 99999) < 8000 and not flags[w + "s"] & STRONG_SURNAME
        made |= w.endswith("s") and english.get(w[:-1], 99999) < 5000 and not flags[w[:-1]] & (STRONG_GIVEN | STRONG_SURNAME)
        # A frequent word that is a rare name.
        made |= rank < 12000 and not flags[w] & (STRONG_GIVEN | STRONG_SURNAME)
        if len(w) >= 2 and w.isalpha() and (not flags[w] or made and w not in MOSTLY_NAMES):
            flags[w] |= WORD | (VERY_COMMON if rank < 3000 else 0)
    for kind, wanted in (("lorem", ("word_list",)), ("job", ("jobs",)), ("color", ("all_colors",)),
                         ("company", ("catch_phrase", "bsWords", "company_type", "company_adj", "company_noun", "company_product"))):
        for _, _, v in lists(kind, *wanted):
            for w in words(v):
                # Lists of other languages hold names too.
                if not flags[w] & (STRONG_GIVEN | STRONG_SURNAME):
                    flags[w] |= WORD
    for _, _, v in lists("address", "countries", "cities", "states", "provinces", "regions", "city_names", "municipalities"):
        # A place of several words says little about each of them.
        ws = list(words(v))
        if len(ws) == 1 and len(ws[0]) >= 3:
            flags[ws[0]] |= PLACE
    for w in PLACES:
        flags[w] |= PLACE
    for locale, provider in providers("date_time"):
        for attribute in ("DAY_NAMES", "MONTH_NAMES"):
            for v in getattr(provider, attribute, {}).values():
                for w in words(v):
                    flags[w] |= CALENDAR
    for _, _, v in lists("person", "language_names"):
        for w in words(v):
            flags[w] |= WORD

    flags = {w: f for w, f in flags.items() if w and f}
    n = len(flags) * 10 // 7
    slots = [0] * n
    for w in sorted(flags):
        h = mix(w.encode())
        i = ((h >> 32) * n) >> 32
        while slots[i]:
            i = (i + 1) % n
        slots[i] = (h & 0xFFFFFF) << 8 | flags[w]
    with open(os.path.join(HERE, "names.bin"), "wb") as out:
        out.write(b"".join(struct.pack("<I", s) for s in slots))
    with open(os.path.join(HERE, "fold.bin"), "wb") as out:
        for a, b in FOLDED:
            out.write(bytes(ord(fold_char(chr(c))) if fold_char(chr(c)).isascii() else ord("?") for c in range(a, b)))
    count = collections.Counter(f for v in flags.values() for f in range(8) if v >> f & 1)
    print(len(flags), "words,", n * 4, "bytes,", dict(sorted(count.items())))


def mix(data):
    h, mask = 0xCBF29CE484222325, 0xFFFFFFFFFFFFFFFF
    for i in range(0, len(data), 8):
        h = (h ^ int.from_bytes(data[i:i + 8], "little")) * 0xFF51AFD7ED558CCD & mask
        h ^= h >> 32
    h = (h ^ len(data)) * 0x9E3779B97F4A7C15 & mask
    return h ^ h >> 32


if __name__ == "__main__":
    main()
