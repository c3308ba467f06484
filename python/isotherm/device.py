"""A field in the memory of a GPU, for libraries such as CuPy and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np


class DeviceField:
    """This rank's part of a field on a CUDA device, without a copy.

    Use cupy.asarray(field), torch.from_dlpack(field), or any library that supports __cuda_array_interface__
    or DLPack. The memory is the solver's own: writing to it changes the field. The solver has finished all
    pending work when it returns this object.
    """

    def __init__(self, array: Any, pointer: int, shape: tuple[int, ...], strides: tuple[int, ...],
                 dtype: np.dtype[Any]) -> None:
        self._array = array  # nanobind's, which keeps the solver alive
        self.shape = shape
        self.dtype = dtype
        self.__cuda_array_interface__ = {
            "shape": shape, "strides": strides, "typestr": dtype.str, "data": (pointer, False),
            "version": 3, "stream": None,
        }

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def __reduce__(self) -> Any:
        raise TypeError("the memory of a device cannot be pickled or copied: copy the values by Solver.values()")

    def __repr__(self) -> str:
        return f"<isotherm.DeviceField {self.shape}, {self.dtype}>"
