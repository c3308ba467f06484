#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace isotherm {

/// The size of a change of the field, and its position in the run.
struct ChangeSample {
  double position = 0.0;  ///< iteration, or time for a method that advances it
  double size = 0.0;      ///< norm of the change, per iteration or per unit of time
  /// Conjugate gradients: the reduction of the squared energy norm of the error by the step, (r,
  /// d)² / (d, A d) (M. Hestenes and E. Stiefel, 1952, theorem 6:1).
  double gain = 0.0;
  /// Conjugate gradients: the largest ratio of the residual to the one before, from the second
  /// iteration of the run to this one.
  double slowest = 0.0;

  bool operator==(ChangeSample const&) const = default;
};

/// Estimates the error of an iterate from the changes that led to it. If each change is at most ρ
/// times the previous one, the changes after one of size c sum to at most c ρ / (1 − ρ). The
/// estimate is independent of a constant added to the solution, of the units, and of the scaling of
/// the matrix's rows. Ranks that add the same samples get the same estimate.
///
///     ErrorEstimate estimate(ErrorEstimate::Kind::cycles);
///     estimate.add({1.0, 0.5});                        // iteration, norm of its change
///     estimate.add({2.0, 0.05});                       // ρ = 0.1
///     auto const error = estimate.remaining();         // 0.05 · 0.1 / 0.9
class ErrorEstimate {
 public:
  enum class Kind {
    cycles,            ///< multigrid: few iterations, each of which reduces the error much
    conjugate_cycles,  ///< multigrid that preconditions conjugate gradients
    steps              ///< sweeps or time steps: many, each of which reduces the error little
  };

  explicit ErrorEstimate(Kind kind) : kind_(kind) {}

  /// Adds the newest change.
  void add(ChangeSample const& sample);

  /// Returns the estimated norm of the error: for cycles that of the newest iterate, for steps that
  /// of the iterate before the change. None if too few changes are known or they do not fall.
  [[nodiscard]] std::optional<double> remaining() const;
  /// True if the newest changes hardly fall: they are rounding, or iterating does not help.
  [[nodiscard]] bool stagnates() const { return stagnates(0.5); }
  /// True if none of the newest changes is less than `share` times the smallest earlier one. For
  /// steps `share` is ignored: they stagnate if the maximum of the last two changes is no smaller
  /// than that of the two changes one check earlier.
  [[nodiscard]] bool stagnates(double share) const;
  /// True if the newest three changes have exactly the same size.
  [[nodiscard]] bool repeats() const;
  /// Returns the error of an iterate whose changes are rounding. For cycles it is as large as the
  /// newest changes. For steps it is the newest change times the largest ratio of error to change
  /// that was found; none if that is not known.
  [[nodiscard]] std::optional<double> at_rounding_floor() const;

  /// Returns the newest samples, from which a resumed run continues.
  [[nodiscard]] std::vector<ChangeSample> const& samples() const { return samples_; }
  /// Discards all samples and resumes from these.
  void restore(std::vector<ChangeSample> const& samples);

  /// Maximum number of samples that are kept.
  static constexpr std::size_t max_samples = 6;

 private:
  /// The size and the position of the sample `back` before the newest.
  [[nodiscard]] double size(std::size_t back) const {
    return samples_[samples_.size() - 1 - back].size;
  }
  [[nodiscard]] double position(std::size_t back) const {
    return samples_[samples_.size() - 1 - back].position;
  }
  [[nodiscard]] double largest_of_last(std::size_t count) const;
  [[nodiscard]] std::optional<double> rate_of_cycles() const;
  [[nodiscard]] std::optional<double> rate_of_conjugate_cycles(std::size_t before) const;
  [[nodiscard]] std::optional<double> estimate_of_conjugate_cycles(std::size_t before) const;
  [[nodiscard]] std::optional<double> remaining_after_conjugate_cycles() const;
  /// The exponential decay of the changes of steps between two checks.
  struct Decay {
    double length;    ///< the distance over which they fall by a factor of e
    double position;  ///< the middle of the interval between the two checks
  };
  /// Returns the decay that the check `back` before the newest shows; none if changes do not fall.
  [[nodiscard]] std::optional<Decay> decay(std::size_t back) const;
  [[nodiscard]] bool is_too_early(double place) const;
  [[nodiscard]] std::optional<double> remaining_after_steps() const;

  Kind kind_;
  std::vector<ChangeSample> samples_{};
  double smallest_dropped_ = std::numeric_limits<double>::infinity();  ///< of discarded samples
  std::optional<double> amplification_{};                              ///< of steps: error / change
};

}  // namespace isotherm
