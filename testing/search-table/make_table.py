#!/usr/bin/env python3
"""Makes `crates/catalog/data/word_table.bin`. See README.md.

usage: make_table.py MODEL_FOLDER OUT.bin
"""

import collections
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

import texts
from model import Model

DIMENSIONS = 96
# Words that are more frequent than this count less.
FREQUENT = 1e-4


def main(model_folder, out):
    model = Model(Path(model_folder))
    tools = texts.tools(Path(__file__).resolve().parent.parent)
    entries, vectors, ranks, counts = vocabulary(model, tools)
    common = [w for w, _ in counts.most_common(3000) if w.isalpha() and len(w) > 2]
    corpus = texts.about_tools(tools) + texts.random_words(model.vocabulary, common)
    print(f"{len(entries)} entries, {len(corpus)} texts", flush=True)
    wanted = np.concatenate(
        [progress(model, corpus, start) for start in range(0, len(corpus), 2000)]
    )
    table = fit(bags(entries, corpus), wanted, vectors, weights(entries, ranks, counts))
    write(entries, table, Path(out))


def progress(model, corpus, start):
    print(f"text {start}", flush=True)
    return model.texts(corpus[start : start + 2000])


def vocabulary(model, tools):
    """The model's own pieces, and whole words of tools that it would take apart."""
    counts, used_by = collections.Counter(), collections.Counter()
    for tool in tools:
        parts = [tool["server"], tool["name"], tool["description"]]
        for name, text in tool["parameters"].items():
            parts += [name, text]
        own = [word for part in parts for word in texts.words(part)]
        counts.update(own)
        used_by.update(set(own))
    plain = lambda piece: piece.replace("##", "")
    pieces = [
        (number, piece)
        for number, piece in enumerate(model.vocabulary)
        if not piece.startswith("[")
        and piece.isascii()
        and plain(piece).isalnum()
        and not plain(piece).isdigit()
    ]
    known = set(model.vocabulary)
    whole = [
        word
        for word, number in used_by.most_common()
        if number >= 2 and word not in known and word.isascii() and word.isalpha() and 3 <= len(word) <= 24
    ]
    start, end = model.vocabulary.index("[CLS]"), model.vocabulary.index("[SEP]")
    vectors = np.concatenate(
        [model.tokens([[start, number, end] for number, _ in pieces], 128), model.texts(whole)]
    )
    # Pieces are ordered by how frequent they are in ordinary English.
    ranks = np.array([number for number, _ in pieces] + [25_000] * len(whole))
    return [piece for _, piece in pieces] + whole, vectors, ranks, counts


def weights(entries, ranks, counts):
    """What a word says: the less frequent it is, in tools and in English, the more."""
    in_tools = np.array([counts.get(entry, 0) for entry in entries], float)
    in_english = 1 / (ranks + 100.0)
    frequency = (in_tools / in_tools.sum() + in_english / in_english.sum()) / 2
    return (FREQUENT / (FREQUENT + frequency)).astype(np.float32)


def bags(entries, corpus):
    """How often each entry occurs in each text; as `word_table.rs` takes words apart."""
    places, known = {entry: at for at, entry in enumerate(entries)}, {}

    def pieces(word):
        word = unicodedata.normalize("NFD", word)
        word = "".join(c for c in word if unicodedata.category(c) != "Mn")
        out, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                place = places.get(("##" if start else "") + word[start:end])
                if place is not None:
                    break
            else:
                return []
            out.append(place)
            start = end
        return out

    rows, columns = [], []
    for row, text in enumerate(corpus):
        for word in texts.words(text):
            if word not in known:
                known[word] = pieces(word)
            columns += known[word]
            rows += [row] * len(known[word])
    ones = np.ones(len(rows), np.float32)
    # Entries that occur twice are summed.
    return sparse.csr_matrix((ones, (rows, columns)), (len(corpus), len(entries)))


def fit(bags, wanted, vectors, weights):
    """Vectors whose sums point where the model's vectors of the texts point.

    Twice: what the first fit did to the words that occur is put into one linear map, which then moves
    those that do not; from there it is fitted again.
    """
    has_words = np.asarray(bags.sum(1)).ravel() > 0
    bags, wanted = bags[has_words], wanted[has_words]
    _, axes = np.linalg.eigh(wanted.T @ wanted)
    axes = axes[:, ::-1][:, :DIMENSIONS]
    wanted = unit(wanted @ axes).astype(np.float32)
    occurs = np.asarray((bags > 0).sum(0)).ravel()
    table = descend((vectors @ axes) * weights[:, None], bags, wanted, occurs, 40)
    often = occurs >= 4
    trust = np.sqrt(np.minimum(occurs[often], 50))[:, None]
    shifted = np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], 1)
    left, right = shifted[often] * trust, table[often] / weights[often, None] * trust
    moved = np.linalg.solve(left.T @ left + 3 * np.eye(left.shape[1]), left.T @ right)
    start = (shifted @ moved * weights[:, None]).astype(np.float32)
    return descend(start, bags, wanted, occurs, 80)


def descend(start, bags, wanted, occurs, steps, rate=0.01, stay=0.1):
    """Adam on the squared distance, with a pull towards the start."""
    start = start.astype(np.float32)
    table, turned, moves = start.copy(), bags.T.tocsr(), (occurs > 0)[:, None]
    mean, square = np.zeros_like(table), np.zeros_like(table)
    for step in range(1, steps + 1):
        sums = bags @ table
        length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
        reached = sums / length
        error = reached - wanted
        error = (error - (error * reached).sum(1, keepdims=True) * reached) / length
        slope = turned @ error.astype(np.float32) + stay * (table - start)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        change = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
        table -= (rate * min(1, 2 * (1 - step / steps) + 0.02) * change * moves).astype(np.float32)
    print(f"mean cosine to the model: {(reached * wanted).sum(1).mean():.4f}", flush=True)
    return table


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)


def write(entries, table, out):
    order = sorted(range(len(entries)), key=lambda at: entries[at])
    table = table[order]
    scales = (np.abs(table).max(1) / 127).astype("<f4")
    rows = np.round(table / np.maximum(scales, 1e-12)[:, None]).astype(np.int8)
    words = "\n".join(entries[at] for at in order).encode()
    out.write_bytes(struct.pack("<II", *rows.shape) + scales.tobytes() + rows.tobytes() + words)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
