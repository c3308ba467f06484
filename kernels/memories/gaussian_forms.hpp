#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/core/queue/kernel_form.hpp"
#include "kernels/gaussians/gaussians.hpp"

namespace isotherm {

/// Returns the forms of a sum of Gaussians: on CUDA "global", "shared" and "constant", the memory
/// that holds the terms; on the CPU "memory".
std::vector<KernelForm> gaussian_forms(Backend backend);

/// Maximum number of terms of these forms: 48,000 bytes fit into the shared memory of a block, and
/// into constant memory.
constexpr std::size_t max_gaussian_terms = 1200;

/// Adds a sum of Gaussians to a float32 field by one form, for studies. The result has the bits of
/// add_gaussians().
///
///   GaussianSum const sum(queue, "constant", terms, 3);
///   sum.add(field, box, frame);
///
/// Terms in constant memory belong to the device: only the object that was made last has them.
class GaussianSum {
 public:
  /// Copies the terms to their memory, and waits for the queue. `queue` must outlive the object.
  /// @throws Error  if the backend has no such form, or there are more than max_gaussian_terms
  GaussianSum(Queue& queue, std::string const& form, std::vector<GaussianTerm> const& terms,
              int dimension);

  /// Enqueues field(p) += Σ terms at p for the points of `box`.
  /// @throws Error  if `box` reaches past the field
  void add(FieldView<float> field, LocalBox box, PointFrame const& frame) const;

 private:
  Queue* queue_;
  std::size_t form_;  ///< number in gaussian_forms()
  int dimension_;
  std::vector<GaussianTerm> terms_;
  Buffer memory_{};  ///< prepared terms on the device
};

}  // namespace isotherm
