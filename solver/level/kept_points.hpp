#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// This rank's points among the unknowns that keep their values: those of fixed regions and of
/// Dirichlet patches, and those that take no part.
template <class Real>
class KeptPoints {
 public:
  /// Looks at every point, on all threads. `problem` outlives the object.
  KeptPoints(Problem const& problem, Subdomain const& subdomain);

  /// How many there are on all ranks. Collective.
  [[nodiscard]] std::int64_t count_of_all(mpi::Communicator const& ranks) const {
    return static_cast<std::int64_t>(ranks.sum(static_cast<double>(count_)));
  }

  /// A value that the problem gives, at time 0: by a face, else at the first of these points in the
  /// order of the whole grid; 0 if nothing is given. A constant that is added to all given values
  /// is added to it. Collective.
  [[nodiscard]] double given_level(mpi::Communicator const& ranks, Problem const& problem,
                                   Subdomain const& subdomain) const;

  /// Sets the values as of time `time_s`; points that take no part stay as they are. Waits. What is
  /// not finite check_evaluated() tells.
  void set(DistributedField<Real>& field, double time_s) const { set(given_, field, time_s); }
  /// Those that depend on the time.
  void set_varying(DistributedField<Real>& field, double time_s) const {
    set(varying_, field, time_s);
  }

 private:
  /// Points of a row that take their values from one function.
  struct Run {
    Index3 first;
    std::int64_t count;
    ScalarFunction const* value;
  };
  /// In the order of the points.
  struct Runs {
    std::vector<Run> all{};
    LocalBox box{};  ///< that holds them
  };
  /// Those of a row, from `first` to before x = `end`. @returns  how many points keep their values
  static std::int64_t find_runs(Problem const& problem, Subdomain const& subdomain, Index3 first,
                                std::int64_t end, std::vector<Run>& runs);
  static void add(Run const& run, Runs& to);
  static void set(Runs const& runs, DistributedField<Real>& field, double time_s);
  /// Those of one run. @returns  one of its points, if any, at which the value is not finite
  static std::optional<Index3> set(Run const& run, Subdomain const& subdomain, double time_s,
                                   Real* row);

  Runs given_{};
  Runs varying_{};
  std::int64_t count_ = 0;
};

}  // namespace isotherm
