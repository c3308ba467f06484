#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm::mpi {

/// An all-gather in place of a fixed number of values from each rank, which can be repeated.
///
/// From 64 ranks on the values travel in two stages. First the ranks of each group, which have
/// consecutive numbers, gather their values. Then ranks with the same number in their groups gather
/// the blocks of all groups. With groups of √P ranks, a library that passes parts around a ring
/// needs approximately 2 √P messages one after another instead of P.
///
///     RepeatedGather const gather(ranks, counts);                // once
///     std::vector<double> all(gather.total());
///     // set the values from all[gather.offset()] on
///     gather.run(all.data());                                    // now `all` is complete
class RepeatedGather {
 public:
  /// Collective.
  /// @param ranks  must outlive the object
  /// @param counts  number of values of each rank
  /// @param group_size  number of ranks per group, which divides the number of ranks; empty: chosen
  /// @throws Error  if there is not one count per rank, or groups would have different sizes
  RepeatedGather(Communicator const& ranks, std::vector<std::int64_t> const& counts,
                 std::optional<int> group_size = {});

  /// Index of this rank's first value among all.
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  /// Number of values of all ranks.
  [[nodiscard]] std::int64_t total() const { return total_; }

  /// Completes a list of all ranks' values, in rank order, of which this rank has set its own.
  /// Collective.
  template <class Real>
  void run(Real* all) const;

 private:
  /// The ranks of a group, or the ranks with the same number in all groups, and the section of the
  /// list that each of them contributes.
  struct Stage {
    UniqueHandle<CommTraits> ranks;
    std::vector<int> counts{};
    std::vector<int> offsets{};
  };
  /// Adds a stage of the ranks with the same `color`, of which number r contributes the values from
  /// begins[r] to begins[r + 1]. Collective.
  void add_stage(int color, std::vector<std::int64_t> const& begins);

  /// Does the same for a list that MPI cannot count.
  template <class Real>
  void run_in_pieces(Real* all) const;

  Communicator const* ranks_;
  std::vector<std::int64_t> counts_;
  std::int64_t offset_ = 0;
  std::int64_t total_ = 0;
  std::vector<Stage> stages_{};  ///< none if the list is too long for MPI's int
};

/// Returns the size of the groups for `ranks` ranks: the largest divisor up to √ranks, or all ranks
/// if they are few or have no such divisor.
int gather_group_size(int ranks);

}  // namespace isotherm::mpi
