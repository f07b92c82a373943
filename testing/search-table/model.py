"""all-MiniLM-L6-v2 in numpy: texts in, vectors of length one out."""

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

HEADS, LAYERS = 12, 6


class Model:
    """The weights of a folder with `model.safetensors`, `tokenizer.json` and `vocab.txt`."""

    def __init__(self, folder):
        weights = load_file(folder / "model.safetensors")
        self.weights = {k: v.astype(np.float32) for k, v in weights.items() if v.dtype.kind == "f"}
        # Transposed once: what is multiplied a thousand times is laid out for it.
        self.turned = {
            k: np.ascontiguousarray(v.T)
            for k, v in self.weights.items()
            if v.ndim == 2 and k.startswith("encoder")
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)
        self.vocabulary = (folder / "vocab.txt").read_text().split("\n")

    def texts(self, texts):
        """One vector for each text."""
        return self.tokens([encoding.ids for encoding in self.tokenizer.encode_batch(texts)])

    def tokens(self, lists, at_once=64):
        """The same for lists of tokens; those of similar length are computed together."""
        order = sorted(range(len(lists)), key=lambda at: len(lists[at]))
        out = np.zeros((len(lists), 384), np.float32)
        for start in range(0, len(order), at_once):
            some = order[start : start + at_once]
            out[some] = self._batch([lists[at] for at in some])
        return out

    def _batch(self, lists):
        longest = max(map(len, lists))
        ids = np.zeros((len(lists), longest), int)
        mask = np.zeros((len(lists), longest), np.float32)
        for at, tokens in enumerate(lists):
            ids[at, : len(tokens)], mask[at, : len(tokens)] = tokens, 1
        table = lambda name: self.weights[f"embeddings.{name}_embeddings.weight"]
        state = table("word")[ids] + table("position")[:longest] + table("token_type")[0]
        state = self._norm(state, "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * np.float32(-1e9)
        for layer in range(LAYERS):
            state = self._layer(state, hidden, f"encoder.layer.{layer}.")
        mean = (state * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def _layer(self, state, hidden, name):
        size, length, width = state.shape
        split = lambda x: x.reshape(size, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)
        query, key, value = (
            split(self._linear(state, f"{name}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32((width // HEADS) ** 0.5) + hidden
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(size, length, width)
        seen = self._linear(seen, f"{name}attention.output.dense")
        state = self._norm(state + seen, f"{name}attention.output.LayerNorm")
        inner = self._linear(state, f"{name}intermediate.dense")
        inner = inner * np.float32(0.5) * (1 + erf(inner / np.float32(2**0.5)))
        return self._norm(
            state + self._linear(inner, f"{name}output.dense"), f"{name}output.LayerNorm"
        )

    def _linear(self, x, name):
        out = x.reshape(-1, x.shape[-1]) @ self.turned[f"{name}.weight"]
        return (out + self.weights[f"{name}.bias"]).reshape(*x.shape[:-1], -1)

    def _norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-12))
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
