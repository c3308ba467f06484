#include "decomposition/ranks/exact_totals.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace isotherm {

std::vector<double> exact_totals(mpi::Communicator const& ranks,
                                 std::vector<ExactSum> const& sums) {
  if (sums.empty()) return {};
  // One reduction carries all sums.
  std::vector<std::uint64_t> parts;
  bool finite = true;
  for (ExactSum const& sum : sums) {
    std::vector<std::uint64_t> const of_one = sum.parts();
    parts.insert(parts.end(), of_one.begin(), of_one.end());
    finite = finite && sum.not_finite() == 0.0;
  }
  parts = ranks.sum(std::move(parts));
  bool const all_finite = !ranks.any(!finite);
  auto const each = static_cast<std::ptrdiff_t>(parts.size() / sums.size());
  std::vector<double> totals;
  auto first = parts.begin();
  for (ExactSum const& sum : sums) {
    totals.push_back(ExactSum::value_of({first, first + each}));
    if (!all_finite) totals.back() += ranks.sum(sum.not_finite());
    first += each;
  }
  return totals;
}

}  // namespace isotherm
