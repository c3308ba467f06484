#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sweep/sweep.hpp"

// Textbook kernels whose thread blocks have a shape of the user's choice. They show what a block
// shape and shared memory are worth; the other plans are faster. Only CUDA has them.
//
// A plan's name is that of its kernel and the shape: "plain 32x2x4", "march 16x16", "shared 32x8".
//
//   plain   one thread a point; neighbours from global memory
//   march   one thread a column; it walks along the last axis, with three values in registers. The
//           threads of a block along that axis divide the column
//   shared  one thread a point; a block stages its points and their neighbours in shared memory

namespace isotherm {

/// The number of threads of a block along each axis.
struct BlockShape {
  int x = 1;
  int y = 1;
  int z = 1;

  [[nodiscard]] std::int64_t threads() const { return std::int64_t{x} * y * z; }
  friend bool operator==(BlockShape const&, BlockShape const&) = default;
};

/// Returns the shape that a text such as "16x16" or "32x2x4" describes, or none if it is not two or
/// three whole numbers from 1 to 1024.
std::optional<BlockShape> parse_block_shape(std::string_view text);

/// Returns the names of the kernels with a block shape: none on the CPU.
std::vector<std::string> shaped_kernels(Backend backend);

/// Returns the plan of this name if it is that of a kernel and a shape, or none if it is not.
///
///   auto const plan = shaped_plan(Backend::cuda, 3, Precision::float32, "plain 32x2x4");
///
/// The plan takes one step a pass. Only rules with constant weights have it. A pass with a source
/// or with a measured change runs by the plan "plain" instead, which gives the same bits.
/// @throws InputError  if blocks cannot have this shape: more than 1024 threads, more than 64 along
///   z, more than 1 along z in 2D, or more shared memory than the 48 KiB that every device has
std::optional<SweepPlan> shaped_plan(Backend backend, int dimension, Precision precision,
                                     std::string const& name);

}  // namespace isotherm
