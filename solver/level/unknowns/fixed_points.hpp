#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// This rank's fixed points among the unknowns: points of fixed regions and Dirichlet patches,
/// which have given values, and insulated points, which take no part.
///
/// Points with values from one function are stored as runs along x, so the memory is proportional
/// to the number of runs, not of points.
template <class Real>
class FixedPoints {
 public:
  /// Classifies every point, on all threads. `problem` must outlive the object.
  FixedPoints(Problem const& problem, Subdomain const& subdomain);

  /// Returns their number over all ranks. Collective.
  [[nodiscard]] std::int64_t count_of_all(mpi::Communicator const& ranks) const {
    return static_cast<std::int64_t>(ranks.sum(static_cast<double>(count_)));
  }

  /// Returns a value that the problem gives at time 0: that of a face, or else of the first fixed
  /// point in the order of the whole grid, or 0 if nothing is given. Adding a constant to all given
  /// values adds it to the result. Collective.
  [[nodiscard]] double given_constant(mpi::Communicator const& ranks, Problem const& problem,
                                      Subdomain const& subdomain) const;

  /// Sets the values at time `time_s`; insulated points remain unchanged. Waits. Values that are
  /// not finite are reported by check_evaluated() of the field.
  void set(DistributedField<Real>& field, double time_s) const { set(given_, field, time_s); }
  /// Sets only those values that vary in time.
  void set_varying(DistributedField<Real>& field, double time_s) const {
    set(varying_, field, time_s);
  }

 private:
  /// Consecutive points of a row along x whose values come from the same function.
  struct Run {
    Index3 first;
    std::int64_t count;
    ScalarFunction const* value;
  };
  /// Runs in the order of their points in memory.
  struct Runs {
    std::vector<Run> all{};
    LocalBox box{};  ///< the smallest box that contains them
  };
  /// Finds the runs of a row, from `first` to before x = `end`.
  /// @returns  the number of fixed points
  static std::int64_t find_runs(Problem const& problem, Subdomain const& subdomain, Index3 first,
                                std::int64_t end, std::vector<Run>& runs);
  /// Appends a run and enlarges the box.
  static void add(Run const& run, Runs& to);
  /// Evaluates the runs into the field, chunk by chunk, on all threads.
  static void set(Runs const& runs, DistributedField<Real>& field, double time_s);
  /// Evaluates one run.
  /// @returns  one of its points whose value is not finite, if any
  static std::optional<Index3> set(Run const& run, Subdomain const& subdomain, double time_s,
                                   Real* row);

  /// Runs of points with given values, and those of them that vary in time.
  Runs given_{};
  Runs varying_{};
  std::int64_t count_ = 0;  ///< fixed points on this rank, insulated ones included
};

}  // namespace isotherm
