#pragma once

#include <cstdint>
#include <nanobind/nanobind.h>
#include <tuple>
#include <vector>

#include "jobs/python/python_solver.hpp"

namespace isotherm {

using Sizes = std::vector<std::int64_t>;

/// This rank's part of the field where it lies, of shape (z, y, x) or (y, x), as an array that
/// keeps the memory alive; its address, its shape, and its strides in bytes.
std::tuple<nanobind::object, std::uintptr_t, Sizes, Sizes> field_of(PythonSolver const& solver);

/// A dense copy, in host memory.
nanobind::object values_of(PythonSolver const& solver);

}  // namespace isotherm
