#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <tuple>
#include <vector>

#include "python/python_solver.hpp"

// Arrays for Python. The field is shared without a copy: on the CPU as a read-only NumPy array, on
// a device by DLPack for CuPy and PyTorch.

namespace isotherm {

/// Shape or strides of an array, slowest axis first.
using Sizes = std::vector<std::int64_t>;

/// Returns this rank's part of the field as an array that shares the solver's memory and keeps it
/// alive.
///
/// The shape is (z, y, x), or (y, x) in 2D. The solver overwrites the array when it advances. Waits
/// for pending work on the device.
/// @return  the array, its address, its shape, and its strides in bytes
std::tuple<nanobind::object, std::uintptr_t, Sizes, Sizes> field_of(PythonSolver const& solver);

/// Returns a dense copy of this rank's part of the field as a NumPy array in host memory.
nanobind::object values_of(PythonSolver const& solver);

}  // namespace isotherm
