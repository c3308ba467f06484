#pragma once

#include <memory>
#include <vector>

#include "app/machine/memory_limits.hpp"
#include "case/probe.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/solver.hpp"

// Probes measure the field during a run: values at points and on lines, means and extremes of
// planes, and integral quantities such as heat fluxes. The field remains distributed and on its
// device; only the values needed are moved.

namespace isotherm::app {

/// Measures one probe of the case. Creation and all members are collective. The meter keeps
/// references, and buffers for the values that it transfers, but no copy of the field.
class ProbeMeter {
 public:
  virtual ~ProbeMeter() = default;

  /// Measures the field. Returns the rows of the probe's table without the columns of iteration and
  /// time, the same on every rank.
  /// @pre the field has the precision of the problem, and no enqueued work changes it
  /// @param time_s  time of the field, at which boundary conditions are evaluated for fluxes
  [[nodiscard]] virtual std::vector<std::vector<double>> read(AnyFieldView const& field,
                                                              double time_s) = 0;
};

/// Creates the meter of a probe. All references must outlive it. Collective.
std::unique_ptr<ProbeMeter> make_probe_meter(mpi::Communicator const& ranks, Queue& queue,
                                             Subdomain const& subdomain, Problem const& problem,
                                             Probe const& probe);

/// Returns an upper bound, in bytes, of this rank's memory for the meters of these probes and for
/// rows of their tables. Collective.
MemoryNeed memory_of_probes(mpi::Communicator const& ranks, std::vector<Probe> const& probes,
                            Problem const& problem, Subdomain const& subdomain, Backend backend);

/// Returns the number of rows of each measurement: the points of a line, else 1.
std::int64_t rows_of(Probe const& probe);

}  // namespace isotherm::app
