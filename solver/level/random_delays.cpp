#include "solver/level/random_delays.hpp"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Reads the variable; 0 if it is not set.
std::int64_t longest_from_environment() {
  constexpr std::int64_t max_us = 1'000'000'000;
  char const* const text = std::getenv("ISOTHERM_RANDOM_DELAYS");
  if (text == nullptr) return 0;
  std::int64_t longest_us = -1;
  std::string_view const all = text;
  auto const [end, error] = std::from_chars(all.data(), all.data() + all.size(), longest_us);
  if (error != std::errc{} || end != all.data() + all.size() || longest_us < 0 ||
      longest_us > max_us) {
    throw InputError("ISOTHERM_RANDOM_DELAYS=\"" + std::string(all) +
                     "\" in the environment is not a whole number of microseconds, 0 to " +
                     std::to_string(max_us));
  }
  return longest_us;
}

/// Returns the root's value on every rank. Collective.
std::int64_t longest_of_root(mpi::Communicator const& ranks) {
  std::int64_t longest_us = 0;
  on_root(ranks, [&] { longest_us = longest_from_environment(); });
  return static_cast<std::int64_t>(ranks.broadcast(static_cast<std::uint64_t>(longest_us)));
}

}  // namespace

RandomDelays::RandomDelays(mpi::Communicator const& ranks)
    // Each rank has its own seed, so that ranks do not sleep in step.
    : longest_us_(longest_of_root(ranks)), generator_(static_cast<unsigned>(ranks.rank()) + 1U) {}

void RandomDelays::sleep() {
  if (longest_us_ <= 0) return;
  std::uniform_int_distribution<std::int64_t> delay_us(1, longest_us_);
  std::this_thread::sleep_for(std::chrono::microseconds(delay_us(generator_)));
}

}  // namespace isotherm
