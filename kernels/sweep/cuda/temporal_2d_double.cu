#include "kernels/sweep/cuda/temporal_2d.cuh"

namespace isotherm::cuda {
namespace {

// Warps, levels of a warp, points of a lane, blocks of a multiprocessor; tuned on sm_90.
using Two = temporal_2d::Shape<1, 2, 10, 4>;
using EightNarrow = temporal_2d::Shape<2, 4, 2, 8>;
using Eight = temporal_2d::Shape<2, 4, 6, 4>;
using Twelve = temporal_2d::Shape<4, 3, 10, 2>;
using Twenty = temporal_2d::Shape<4, 5, 6, 2>;

template <class Rule>
std::vector<Variant<Rule>> variants() {
  return temporal_2d::variants_of<Rule, Two, EightNarrow, Eight, Twelve, Twenty>();
}

}  // namespace

template <>
std::vector<Variant<JacobiRule<double, 2>>> temporal_variants() {
  return variants<JacobiRule<double, 2>>();
}

template <>
std::vector<Variant<FtcsRule<double, 2>>> temporal_variants() {
  return variants<FtcsRule<double, 2>>();
}

}  // namespace isotherm::cuda
