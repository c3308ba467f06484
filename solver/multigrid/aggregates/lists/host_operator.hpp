#pragma once

#include <array>
#include <vector>

#include "kernels/conduction/coarsening.hpp"

namespace isotherm {

/// The operator of a grid's level in host memory: the fields themselves on the CPU, copies of them
/// from a device.
template <class Real>
class HostOperator {
 public:
  /// Copies the points of `owned` and one ghost layer around them. Waits for the queue.
  /// @param fields  in the memory of the queue's backend; on the CPU they must outlive the object
  HostOperator(Queue& queue, OperatorFields<Real const> const& fields, LocalBox owned);

  [[nodiscard]] OperatorFields<Real const> const& fields() const { return fields_; }

 private:
  OperatorFields<Real const> fields_;
  std::array<std::vector<Real>, 4> values_{};  ///< empty on the CPU
};

/// Copies the points of `box` from a field in the memory of a queue's backend. Waits for the queue.
/// @param values  receives the values, which the result refers to
/// @returns  a view of the copy, with the same indices
template <class Real>
FieldView<Real const> copied_to_host(Queue& queue, FieldView<Real const> field, LocalBox box,
                                     std::vector<Real>& values);

}  // namespace isotherm
