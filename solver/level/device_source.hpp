#pragma once

#include <optional>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/expressions/grid_program.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// True if the source is a compiled expression in t, which a device can evaluate. Other varying
/// sources, and those with films on the surfaces of fluids that vary, are evaluated on the host.
bool device_can_evaluate_source(Problem const& problem);

/// The source term of a step without the flux through faces, as the queue's backend evaluates it at
/// this rank's points. It has the bits of the term that the host evaluates (SourceField).
///
///     DeviceSource source(problem, units, subdomain, queue);
///     source.evaluate(queue, field.writable(), unknown, time_s, scheme.source_factor);  //
///     enqueued
class DeviceSource {
 public:
  /// @param units  of a heterogeneous medium; none in others
  /// @pre device_can_evaluate_source(problem)
  /// @throws Error  if there is not enough memory
  DeviceSource(Problem const& problem, std::optional<MediumUnits> const& units,
               Subdomain const& subdomain, Queue& queue);

  /// Enqueues setting the points of `box`.
  /// @param factor  of the source in a homogeneous medium
  template <class Real>
  void evaluate(Queue& queue, FieldView<Real> field, LocalBox box, double time_s,
                double factor) const {
    program_.evaluate(queue, field, box, time_s, {factor, divisor_, by_volume_});
  }
  /// Returns a point whose value was not finite; see GridProgram::take_fault().
  [[nodiscard]] std::optional<expressions::GridProgram::Fault> take_fault(Queue& queue) {
    return program_.take_fault(queue);
  }

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint. 0 if it is not used.
  static std::size_t footprint(Problem const& problem, Backend backend, Extent3 owned);

 private:
  bool by_volume_;
  double divisor_;
  expressions::GridProgram program_;
};

}  // namespace isotherm
