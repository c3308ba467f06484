#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace isotherm {

/// How large a change of the field was, and where in the run.
struct ChangeSample {
  double position = 0.0;  ///< iteration, or time for a method that advances it
  double size = 0.0;      ///< norm of the change, per iteration or per unit of time
  /// Conjugate gradients: by how much the step has lessened the squared energy norm of the error,
  /// (r, d)² / (d, A d) (M. Hestenes and E. Stiefel, 1952, theorem 6:1).
  double gain = 0.0;

  bool operator==(ChangeSample const&) const = default;
};

/// Estimates the error of an iterate from the changes that led to it. If each change is at most
/// ρ times the one before, then after a change of size c the rest of the series sums to at most
/// c ρ / (1 − ρ). Neither a constant added to the solution, nor the units of the case, nor rows of
/// the matrix that are much larger than others matter to it.
class ErrorEstimate {
 public:
  enum class Kind {
    cycles,            ///< of multigrid: a few iterations that each lessen the error much
    conjugate_cycles,  ///< the same as preconditioner of conjugate gradients
    steps              ///< sweeps, or steps in time: many that each lessen it little
  };

  explicit ErrorEstimate(Kind kind) : kind_(kind) {}

  void add(ChangeSample const& sample);

  /// The estimated norm of the error: of the newest iterate for cycles, for steps of the one before
  /// the change. None before it can be told, and where changes do not fall.
  [[nodiscard]] std::optional<double> remaining() const;
  /// True if the newest changes hardly fall: they are rounding, or iterating does not help.
  [[nodiscard]] bool stagnates() const;
  /// The error of an iterate whose changes are rounding: as large as the newest changes are, times
  /// what remaining() has last found a change of a step to stand for. None if that is not known.
  [[nodiscard]] std::optional<double> at_rounding_floor() const;

  /// The newest samples, all that a run needs to go on as if it had never stopped.
  [[nodiscard]] std::vector<ChangeSample> const& samples() const { return samples_; }
  /// Forgets everything, then goes on from these samples.
  void restore(std::vector<ChangeSample> samples);

  /// No more samples are kept.
  static constexpr std::size_t most_samples = 6;

 private:
  [[nodiscard]] double size(std::size_t back) const {
    return samples_[samples_.size() - 1 - back].size;
  }
  [[nodiscard]] double position(std::size_t back) const {
    return samples_[samples_.size() - 1 - back].position;
  }
  [[nodiscard]] double largest_of_last(std::size_t count) const;
  [[nodiscard]] std::optional<double> rate_of_cycles() const;
  [[nodiscard]] std::optional<double> rate_of_conjugate_cycles() const;
  /// The distance over which the changes of steps fall by a factor of e, at the check `back` before
  /// the newest; none if they do not fall.
  [[nodiscard]] std::optional<double> decay_length(std::size_t back) const;
  [[nodiscard]] std::optional<double> remaining_after_steps() const;

  Kind kind_;
  std::vector<ChangeSample> samples_{};
  double smallest_dropped_ = std::numeric_limits<double>::infinity();  ///< of samples that are gone
  std::optional<double> amplification_{};                              ///< of steps: error / change
};

}  // namespace isotherm
