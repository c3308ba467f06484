#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/queue/kernel_form.hpp"
#include "kernels/filters/correlation.hpp"
#include "kernels/memories/texture.hpp"

namespace isotherm {

/// Returns the forms of a correlation with a table of weights: on CUDA "global", "shared",
/// "constant" and "texture", the memory that holds the table; on the CPU "memory".
std::vector<KernelForm> table_forms(Backend backend);

/// A correlation of float32 values with a table of weights by one form, for studies. The result has
/// the bits of correlate().
///
///   TableCorrelation const smooth(queue, "constant", table);
///   smooth.apply(from, to, box);
///
/// The table in constant memory belongs to the device: only the object that was made last has it.
class TableCorrelation {
 public:
  /// Copies the table to its memory, and waits for the queue. `queue` must outlive the object.
  /// @throws Error  if the backend has no such form, or the table is invalid, see is_table()
  TableCorrelation(Queue& queue, std::string const& form, WeightTable const& table);

  /// Enqueues to(p) = Σ table(m) · from(p + m) for the points p of `box`.
  /// @throws Error  if a field does not cover the accessed points
  void apply(FieldView<float const> from, FieldView<float> to, LocalBox box) const;

 private:
  Queue* queue_;
  std::size_t form_;  ///< number in table_forms()
  WeightTable table_;
  std::vector<float> weights_;  ///< of the table, on the host
  Buffer memory_{};             ///< the same on the device
  std::optional<Texture> texture_{};
};

}  // namespace isotherm
