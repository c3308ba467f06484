#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "io/values/value_source.hpp"

namespace isotherm {

/// Reads a text file of numbers, separated by commas, semicolons, tabs or blanks. It is one of
///
/// - a matrix: a line for each row of the shape, in the order of indices; in 3D blank lines may
///   separate the planes. This is what numpy.savetxt() writes.
/// - a table with a header: columns x, y (and z) with the places of points, in any order of lines,
///   and columns with values. "x [m]" is x.
///
/// Lines that begin with # are comments; the last one before the numbers may be the header. All
/// values are kept in memory. The file may have at most 256 bytes a value.
/// @param column  of a table; empty: the only column that is not a coordinate
/// @throws NoSuchDataset  if there is no such column
/// @throws InputError  naming the line, if a number, a place or the shape is wrong
std::unique_ptr<ValueSource> open_table(std::filesystem::path const& path,
                                        std::string const& column, RequiredShape const& wanted);

}  // namespace isotherm
