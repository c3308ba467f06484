#include "kernels/sweep/cuda/temporal_3d.cuh"

namespace isotherm::cuda {
namespace {

template <class Rule>
std::vector<Variant<Rule>> variants() {
  std::vector<Variant<Rule>> found;
  temporal_3d::offer<Rule, temporal_3d::Shape<2, 12, 4, 4, 1>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<3, 12, 4, 5, 1, 2>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<4, 8, 5, 5, 2>>(found);
  temporal_3d::offer<Rule, temporal_3d::Shape<4, 12, 3, 6, 1, 2>>(found);
  return found;
}

}  // namespace

template <>
std::vector<Variant<JacobiRule<double, 3>>> temporal_variants() {
  return variants<JacobiRule<double, 3>>();
}

template <>
std::vector<Variant<FtcsRule<double, 3>>> temporal_variants() {
  return variants<FtcsRule<double, 3>>();
}

}  // namespace isotherm::cuda
