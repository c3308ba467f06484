#include "solver/multigrid/aggregates/aggregate_messages.hpp"

#include <array>
#include <cstdio>

namespace isotherm {

namespace {

/// Returns a number with two decimal places.
std::string decimals(double number) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), "%.2f", number);
  return text.data();
}

}  // namespace

std::string event_of_aggregates(std::int64_t iteration, double rate) {
  return "aggregates replace the coarser grids from iteration " + std::to_string(iteration) +
         " on, because an iteration left " + decimals(rate) + " of the error";
}

std::string remark_on_aggregates(double rate) {
  return "aggregates precondition the time steps, because with coarser grids an iteration left " +
         decimals(rate) + " of the error of a random field";
}

}  // namespace isotherm
