"""A field in several files, which xarray reads lazily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing

from .series import COMPONENTS, Head


class StackedField(BackendArray):
    """The files in sequence along the first axis. A file is open only while it is read."""

    def __init__(self, heads: Sequence[Head], name: str) -> None:
        self._heads = list(heads)
        self._name = name
        last = heads[-1]
        self._flat = last.flat
        self.dtype = last.fields[name]
        self.shape = (len(heads), *(last.shape[1:] if last.flat else last.shape))
        if name in last.vectors:
            self.shape += (COMPONENTS,)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, indexing.VectorizedIndexer):  # xarray 2023.1 takes slices apart wrongly
            return self._read(key.tuple)
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER,
                                                  self._read)

    def _read(self, key: tuple[Any, ...]) -> np.ndarray:
        """Reads by a NumPy key that selects along each axis separately: a number, a slice, or a list."""
        numbers = [np.arange(length)[part] for length, part in zip(self.shape, key)]
        boxes = [_around(part) for part in numbers[1:]]
        within = np.ix_(*(np.atleast_1d(part) - box.start for part, box in zip(numbers[1:], boxes)))
        values = np.empty([np.size(part) for part in numbers], self.dtype)
        for place, number in enumerate(np.atleast_1d(numbers[0])):
            if values.size:
                values[place] = self._box(self._heads[number], boxes)[within]
        return values.reshape([size for part in numbers for size in np.shape(part)])

    def _box(self, head: Head, boxes: Sequence[slice]) -> np.ndarray:
        import h5py

        with h5py.File(head.path, "r") as file:
            dataset = file[head.group][self._name]
            return dataset[(0, *boxes)] if self._flat else dataset[tuple(boxes)]


def _around(numbers: np.ndarray) -> slice:
    """Returns the smallest range that contains all indices."""
    return slice(int(numbers.min()), int(numbers.max()) + 1) if np.size(numbers) else slice(0, 0)
