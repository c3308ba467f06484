#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <tuple>
#include <vector>

#include "jobs/python/python_solver.hpp"

namespace isotherm {

using Sizes = std::vector<std::int64_t>;

/// This rank's part of the field where it lies: shape (z, y, x) or (y, x). It keeps the memory
/// alive.
nanobind::object view_of(PythonSolver const& solver);

/// Where the field lies: address, shape and strides in bytes.
std::tuple<std::uintptr_t, Sizes, Sizes> layout_of(PythonSolver const& solver);

/// A dense copy, in host memory.
nanobind::object values_of(PythonSolver const& solver);

}  // namespace isotherm
