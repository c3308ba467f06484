#include "kernels/sweep/cuda/temporal_2d.cuh"

namespace isotherm::cuda {
namespace {

// Warps, levels of a warp, points of a lane, blocks of a multiprocessor; tuned on sm_90.
using Two = temporal_2d::Shape<1, 2, 12, 5>;
using EightNarrow = temporal_2d::Shape<2, 4, 4, 8>;
using Eight = temporal_2d::Shape<2, 4, 12, 4>;
using Sixteen = temporal_2d::Shape<4, 4, 12, 2>;
using Twenty = temporal_2d::Shape<4, 5, 12, 2>;

template <class Rule>
std::vector<Variant<Rule>> variants() {
  return temporal_2d::variants_of<Rule, Two, EightNarrow, Eight, Sixteen, Twenty>();
}

}  // namespace

template <>
std::vector<Variant<JacobiRule<float, 2>>> temporal_variants() {
  return variants<JacobiRule<float, 2>>();
}

template <>
std::vector<Variant<FtcsRule<float, 2>>> temporal_variants() {
  return variants<FtcsRule<float, 2>>();
}

}  // namespace isotherm::cuda
