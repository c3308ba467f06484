#pragma once

#include <cstddef>

#include "decomposition/mpi.hpp"
#include "kernels/box.hpp"

namespace isotherm {

/// The chunk of a dataset of `points`: at most 16 × 128 × 128 points (z, y, x), 512 × 512 where
/// there is one plane, and as equal in size as they come.
Extent3 chunk_extent(Extent3 points);

/// Cuts a collective write into calls, so that what a rank hands over at once stays small.
///
/// The dataset is cut into blocks of whole chunk layers across its slowest axis; call i takes the
/// blocks i, i + calls, i + 2 calls … So no chunk is written twice, which would cost unpacking and
/// packing it again, each rank has at most one box of points a call, and ranks with different
/// shares work at the same time.
struct WritePlan {
  int axis = 2;             ///< z, or y where there is one plane
  std::int64_t layer = 1;   ///< planes of a chunk
  std::int64_t layers = 1;  ///< of chunks, in the dataset
  std::int64_t block = 1;   ///< planes of a block, whole layers
  std::int64_t calls = 1;   ///< the same on every rank

  /// What a rank with `share` writes in `call`: may be empty. Frame: the dataset's points.
  [[nodiscard]] GlobalBox piece(GlobalBox share, std::int64_t call) const;
  /// The number of chunk layers that all ranks together write in `call`.
  [[nodiscard]] std::int64_t layers_in(std::int64_t call) const;
};

/// @param share  this rank's points of the dataset; may be empty
/// @param limit  bytes that a rank hands over in a call, exceeded only where one layer of chunks
///               is larger
/// Collective.
WritePlan plan_write(mpi::Communicator const& ranks, Extent3 points, GlobalBox share,
                     std::size_t element_bytes, std::size_t limit);

}  // namespace isotherm
