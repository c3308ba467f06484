#include "solver/iteration/error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isotherm {

namespace {

/// Bounds on trusted ratios of changes. A smaller ratio may be due to chance, and later ratios may
/// be larger. With a ratio of 1 the series would diverge.
constexpr double largest_rate = 0.99;
constexpr double smallest_rate_of_cycles = 0.1;
constexpr double smallest_rate_of_conjugate_cycles = 0.2;

/// Conjugate gradients converge regularly if each residual is at most this fraction of the one
/// before.
constexpr double regular_rate = 0.3;
/// The number of successive estimates of which the largest counts if they converge irregularly.
constexpr std::size_t irregular_estimates = 3;

/// Bound on the growth of the decay length per unit of position. If the length grows faster, the
/// series may have any sum.
constexpr double largest_growth = 0.9;

/// Cycles stagnate if this many successive changes are all at least half of the smallest one
/// before. Conjugate gradients may pause longer.
constexpr std::size_t patience_of_cycles = 2;
constexpr std::size_t patience_of_conjugate_cycles = 5;

}  // namespace

void ErrorEstimate::add(ChangeSample const& sample) {
  // A resumed run measures its field once more.
  while (!samples_.empty() && sample.position <= samples_.back().position) samples_.pop_back();
  if (kind_ == Kind::steps && is_too_early(sample.position)) return;
  samples_.push_back(sample);
  if (samples_.size() > max_samples) {
    smallest_dropped_ = std::min(smallest_dropped_, samples_.front().size);
    samples_.erase(samples_.begin());
  }
  if (kind_ != Kind::steps) return;
  // The largest ratio of error to change, for at_rounding_floor().
  double const newest = largest_of_last(2);
  auto const left = remaining_after_steps();
  if (left && newest > 0.0) amplification_ = std::max(amplification_.value_or(0.0), *left / newest);
}

/// Returns true if a step is much shorter than the one before, as the last step before an output
/// time may be. The changes of such a short interval hardly show the rate of decay.
bool ErrorEstimate::is_too_early(double place) const {
  return samples_.size() >= 2 && place - position(0) < 0.5 * (position(0) - position(1));
}

void ErrorEstimate::restore(std::vector<ChangeSample> const& samples) {
  samples_.clear();
  smallest_dropped_ = std::numeric_limits<double>::infinity();
  amplification_.reset();
  for (ChangeSample const& sample : samples) add(sample);
}

double ErrorEstimate::largest_of_last(std::size_t count) const {
  double largest = 0.0;
  for (std::size_t back = 0; back < std::min(count, samples_.size()); ++back) {
    largest = std::max(largest, size(back));
  }
  return largest;
}

/// Returns the larger of the last two ratios of changes, within the trusted bounds.
std::optional<double> ErrorEstimate::rate_of_cycles() const {
  if (samples_.size() < 2) return std::nullopt;
  double rate = smallest_rate_of_cycles;
  for (std::size_t back = 0; back < 2 && back + 1 < samples_.size(); ++back) {
    if (size(back + 1) > 0.0) rate = std::max(rate, size(back) / size(back + 1));
  }
  return std::min(rate, largest_rate);
}

/// Returns the largest of three successive ratios of square roots of gains, the newest of them
/// `before` samples ago. Lengths of steps vary, but energy norms fall monotonically. If the gains
/// underflow, the ratios of changes replace them.
std::optional<double> ErrorEstimate::rate_of_conjugate_cycles(std::size_t before) const {
  if (samples_.size() < before + 2) return std::nullopt;
  double rate = smallest_rate_of_conjugate_cycles;
  for (std::size_t back = before; back < before + 3 && back + 1 < samples_.size(); ++back) {
    double const newer = samples_[samples_.size() - 1 - back].gain;
    double const older = samples_[samples_.size() - 2 - back].gain;
    if (older > 0.0) {
      rate = std::max(rate, std::sqrt(newer / older));
    } else if (size(back + 1) > 0.0) {
      rate = std::max(rate, size(back) / size(back + 1));
    }
  }
  return std::min(rate, largest_rate);
}

/// Returns the estimate for the iterate `before` samples ago from that sample and earlier ones. A
/// step may be short by chance, and the next one long.
std::optional<double> ErrorEstimate::estimate_of_conjugate_cycles(std::size_t before) const {
  auto const rate = rate_of_conjugate_cycles(before);
  if (!rate) return std::nullopt;
  return std::max(size(before), size(before + 1) * *rate) * *rate / (1.0 - *rate);
}

/// In a medium whose coarse grids are poor, the energy norm of the error falls quickly at first,
/// and then hardly, because large errors in parts that conduct little have a small energy. The
/// estimate dips meanwhile, but for no more than two iterations in random media of two phases.
std::optional<double> ErrorEstimate::remaining_after_conjugate_cycles() const {
  auto largest = estimate_of_conjugate_cycles(0);
  if (!largest || samples_.back().slowest <= regular_rate) return largest;
  for (std::size_t before = 1; before < irregular_estimates; ++before) {
    auto const earlier = estimate_of_conjugate_cycles(before);
    if (!earlier) return std::nullopt;
    largest = std::max(largest, earlier);
  }
  return largest;
}

/// Compares pairs of checks, because the changes of two slow modes of opposite sign may cancel at
/// every second iteration.
std::optional<ErrorEstimate::Decay> ErrorEstimate::decay(std::size_t back) const {
  if (samples_.size() < back + 3) return std::nullopt;
  std::size_t const newer = size(back) > size(back + 1) ? back : back + 1;
  std::size_t const older = back + 2;  // if changes fall, the one between is not the larger one
  if (!(size(newer) < size(older))) return std::nullopt;
  return Decay{(position(newer) - position(older)) / std::log(size(older) / size(newer)),
               0.5 * (position(newer) + position(older))};
}

/// Sums the remaining changes c(t). If they fall as exp(−t / τ), the sum is c τ. While smooth modes
/// emerge behind rough ones, τ grows and the sum is larger. If τ grows in proportion to t, the
/// changes fall as a power of t and sum to c τ / (1 − dτ/dt).
std::optional<double> ErrorEstimate::remaining_after_steps() const {
  if (samples_.size() < 4) return std::nullopt;
  double const newest = largest_of_last(2);
  if (newest == 0.0) return 0.0;
  auto const now = decay(0);
  auto const before = decay(1);
  if (!now || !before || !(now->position > before->position)) return std::nullopt;
  double const growth = (now->length - before->length) / (now->position - before->position);
  if (growth > largest_growth) return std::nullopt;
  return newest * now->length / (1.0 - std::max(growth, 0.0));
}

std::optional<double> ErrorEstimate::remaining() const {
  switch (kind_) {
    case Kind::steps:
      return remaining_after_steps();
    case Kind::cycles: {
      auto const rate = rate_of_cycles();
      return rate ? std::optional(size(0) * *rate / (1.0 - *rate)) : std::nullopt;
    }
    case Kind::conjugate_cycles:
      return remaining_after_conjugate_cycles();
  }
  return std::nullopt;
}

bool ErrorEstimate::stagnates(double share) const {
  if (kind_ == Kind::steps) {
    return samples_.size() >= 3 && std::max(size(0), size(1)) >= std::max(size(1), size(2));
  }
  std::size_t const patience =
      kind_ == Kind::cycles ? patience_of_cycles : patience_of_conjugate_cycles;
  if (samples_.size() <= patience) return false;
  double newest = size(0);
  for (std::size_t back = 1; back < patience; ++back) newest = std::min(newest, size(back));
  double before = smallest_dropped_;
  for (std::size_t back = patience; back < samples_.size(); ++back) {
    before = std::min(before, size(back));
  }
  return newest >= share * before;
}

bool ErrorEstimate::repeats() const {
  return samples_.size() >= 3 && size(0) == size(1) && size(1) == size(2);
}

std::optional<double> ErrorEstimate::at_rounding_floor() const {
  if (samples_.empty()) return std::nullopt;
  if (kind_ != Kind::steps) return largest_of_last(kind_ == Kind::cycles ? 2 : 3);
  return amplification_ ? std::optional(largest_of_last(2) * *amplification_) : std::nullopt;
}

}  // namespace isotherm
