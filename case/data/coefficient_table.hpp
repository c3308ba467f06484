#pragma once

#include <filesystem>

#include "solver/problem/scalar_function.hpp"

// Coefficients that depend on the solution u, from tables with two columns: u, which increases from
// row to row, and a value. A header names the columns.
//
//     u,conductivity
//     273,420
//     373,394

namespace isotherm {

/// Reads a function that is linear between the rows. Before the first row and after the last one it
/// has their values.
/// @throws InputError  naming the file, and the row if one is at fault; if the file has more than
///         1 MiB, fewer than 2 rows or more than 10 000, or another number of columns
ScalarFunction read_coefficient(std::filesystem::path const& file);

/// Reads an enthalpy H(u), which increases from row to row, and returns the heat capacity dH/du. It
/// is constant between two rows. Before the first row and after the last one it is that of the
/// nearest interval.
/// @throws InputError  as read_coefficient()
ScalarFunction read_capacity_of_enthalpy(std::filesystem::path const& file);

}  // namespace isotherm
