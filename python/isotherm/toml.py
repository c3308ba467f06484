"""Python values as TOML text, as a case file has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def text_of(value: Any, key: str) -> str:
    """Formats a value as TOML. Raises ValueError, naming `key`, if TOML cannot represent it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return _number(float(value))
    if isinstance(value, str):
        return quoted(value)
    if hasattr(value, "__fspath__"):
        return quoted(str(value))
    if isinstance(value, Mapping):
        inner = (f"{name_of(name)} = {text_of(item, f'{key}.{name}')}" for name, item in value.items())
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, Sequence):
        return "[" + ", ".join(text_of(item, key) for item in value) + "]"
    if isinstance(value, np.ndarray):
        raise ValueError(f"{key} is an array of {value.ndim} dimensions (store it by numpy.save, and give "
                         '{"file": "values.npy"})')
    if callable(value):
        raise ValueError(f"{key} is a function (evaluate it at the points, store the array by numpy.save, and give "
                         '{"file": "values.npy"}, or use an expression)')
    raise ValueError(f"{key} is a {type(value).__name__} (needs a number, a string, a list or a dict)")


def document(sections: Mapping[str, Any]) -> str:
    """Formats a whole case: first keys outside sections, then the sections, with lists of dicts as tables."""
    top = [f"{name} = {text_of(value, name)}" for name, value in sections.items()
           if not isinstance(value, Mapping)]
    return "\n".join(top + [line for name, value in sections.items() if isinstance(value, Mapping)
                            for line in _section(name, value)]) + "\n"


def _section(name: str, keys: Mapping[str, Any]) -> list[str]:
    lines = [f"[{name_of(name)}]"]
    lines += [f"{name_of(key)} = {text_of(value, f'{name}.{key}')}" for key, value in keys.items()
              if not _is_list_of_tables(value)]
    for key, tables in keys.items():
        if not _is_list_of_tables(tables):
            continue
        for table in tables:
            lines.append(f"[[{name_of(name)}.{name_of(key)}]]")
            lines += [f"{name_of(k)} = {text_of(v, f'{name}.{key}.{k}')}" for k, v in table.items()]
    return lines


def _is_list_of_tables(value: Any) -> bool:
    return (isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0
            and all(isinstance(item, Mapping) for item in value))


def name_of(key: str) -> str:
    """Returns a key, quoted if TOML requires it."""
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else quoted(key)


def quoted(text: str) -> str:
    """Returns a TOML basic string."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(c, f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c)
                         for c in text) + '"'


def _number(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)
