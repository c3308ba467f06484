#include "kernels/transforms/tridiagonal/tridiagonal_rows.hpp"

#include <cstddef>

namespace isotherm {

std::vector<double> singular_line_factors(TridiagonalRows const& rows, double pin) {
  std::size_t const n = rows.weight.size();
  // Through gap p flow the sources of all points up to p.
  std::vector<double> flow;
  double sum = 0.0;
  for (double const weight : rows.weight) flow.push_back(sum += weight);
  std::vector<double> factors(n, 1.0);
  for (std::size_t p = n - 1; p-- > 0;) {
    factors[p] = factors[p + 1] + pin * (flow[p] / sum) / rows.conductance[p];
  }
  return factors;
}

}  // namespace isotherm
