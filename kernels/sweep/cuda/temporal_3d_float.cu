#include "kernels/sweep/cuda/temporal_3d.cuh"

namespace isotherm::cuda {
namespace {

template <class Rule>
std::vector<Variant<Rule>> variants() {
  std::vector<Variant<Rule>> found;
  temporal_3d::offer<Rule, temporal_3d::Shape<2, 12, 4, 4, 1>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<3, 16, 3, 5, 1, 2>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<4, 12, 3, 5, 2>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<4, 12, 3, 5, 2, 2>>(found);
  return found;
}

}  // namespace

template <>
std::vector<Variant<JacobiRule<float, 3>>> temporal_variants() {
  return variants<JacobiRule<float, 3>>();
}

template <>
std::vector<Variant<FtcsRule<float, 3>>> temporal_variants() {
  return variants<FtcsRule<float, 3>>();
}

}  // namespace isotherm::cuda
