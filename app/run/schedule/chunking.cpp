#include "app/run/schedule/chunking.hpp"

#include <algorithm>

// A pass is one traversal of memory that performs `steps` iterations (temporal blocking). A chunk
// that ends within a pass would cost an additional, shorter pass, so chunks consist of whole
// passes.

namespace isotherm::app {

namespace {

constexpr double chunk_s = 0.5;        // duration of a chunk
constexpr double first_chunk_s = 0.1;  // of the first one, whose speed is a guess
/// Maximum of the first chunk: ranks that share a GPU wait a time slice for each.
constexpr double first_passes = 256.0;
constexpr double max_growth = 8.0;      // from one chunk to the next
constexpr double longest_chunk = 1e15;  // iterations; remains exact as a double

}  // namespace

/// The first chunk is short, since its speed is only a guess.
Chunking::Chunking(std::int64_t check_every, int steps, double iterations_per_s)
    : check_every_(check_every),
      steps_(std::max(steps, 1)),
      length_(std::clamp(first_chunk_s * iterations_per_s, 1.0,
                         first_passes * static_cast<double>(steps_))) {}

std::int64_t Chunking::next(std::int64_t from, std::int64_t event) const {
  auto const length = static_cast<std::int64_t>(length_);
  if (length >= event - from) {
    return event;
  }
  return std::min(event, last_pass_end(from, from + length));
}

/// Returns the last iteration up to `target` at which a pass ends, but at least one pass after
/// `from`.
std::int64_t Chunking::last_pass_end(std::int64_t from, std::int64_t target) const {
  std::int64_t const passes = std::max<std::int64_t>(1, (target - from) / steps_);
  // Without a check in between, passes end at from + k·steps.
  std::int64_t const by_passes = from + passes * steps_;
  if (check_every_ == 0) {
    return by_passes;
  }
  // The iteration after the last check before `target`: the check itself cuts the pass there.
  std::int64_t const after_check = (target - 1) / check_every_ * check_every_ + 1;
  if (after_check > from) {
    return after_check;
  }
  // No check forces a pass end between `from` and `target`. A single pass may end after `target`,
  // but not after the next pass end that a check forces.
  return by_passes - after_check <= check_every_ ? by_passes : after_check + check_every_;
}

/// Limits the growth from one chunk to the next, but not the reduction.
void Chunking::adapt(std::int64_t iterations, double seconds) {
  double const wanted = chunk_s * static_cast<double>(iterations) / std::max(seconds, 1e-9);
  length_ = std::clamp(std::min(wanted, max_growth * length_), 1.0, longest_chunk);
}

std::int64_t next_multiple(std::int64_t iteration, std::int64_t every, std::int64_t limit) {
  if (every == 0) {
    return limit;
  }
  std::int64_t const left = every - iteration % every;
  return left < limit - iteration ? iteration + left : limit;
}

}  // namespace isotherm::app
