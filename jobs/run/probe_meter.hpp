#pragma once

#include <memory>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/probe.hpp"
#include "jobs/machine/memory_limits.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// Measures what one probe asks for. Collective.
class ProbeMeter {
 public:
  virtual ~ProbeMeter() = default;

  /// A row of numbers for each row of the probe's table, from the column behind the time on, the
  /// same on every rank. @param time_s  the field's
  [[nodiscard]] virtual std::vector<std::vector<double>> read(AnyFieldView const& field,
                                                              double time_s) = 0;
};

/// What is passed by reference outlives the meter.
std::unique_ptr<ProbeMeter> make_probe_meter(mpi::Communicator const& ranks, Queue& queue,
                                             Subdomain const& subdomain, Problem const& problem,
                                             Probe const& probe);

/// Bytes that a rank takes at most for the meters of these probes and for the rows of their tables.
MemoryNeed memory_of_probes(std::vector<Probe> const& probes, Problem const& problem,
                            Subdomain const& subdomain, Backend backend);

/// How many rows read() returns.
std::int64_t rows_of(Probe const& probe);

}  // namespace isotherm
