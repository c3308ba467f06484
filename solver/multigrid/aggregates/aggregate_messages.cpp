#include "solver/multigrid/aggregates/aggregate_messages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace isotherm {

namespace {

/// Returns a share with two decimal places. Gains may grow from step to step, but not the error.
std::string decimals(double share) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2f", std::min(share, 1.0));
  return text.data();
}

}  // namespace

std::string event_of_multigrid(std::int64_t iteration) {
  return "multigrid cycles precondition from iteration " + std::to_string(iteration) +
         " on, because direct solutions converge slowly in this medium";
}

std::string event_of_aggregates(std::int64_t iteration, double rate) {
  return "aggregates replace the coarser grids from iteration " + std::to_string(iteration) +
         " on, because a cycle left " + decimals(rate) + " of the error";
}

std::string event_without_aggregates(double rate) {
  return "coarser grids converge slowly, a cycle leaves " + decimals(rate) +
         " of the error; aggregates would converge faster, but there is not enough memory for them";
}

std::string remark_on_aggregates(double rate) {
  return "aggregates precondition the time steps, because with coarser grids a cycle left " +
         decimals(rate) + " of the error of a random field";
}

}  // namespace isotherm
