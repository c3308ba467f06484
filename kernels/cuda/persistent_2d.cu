#include "kernels/cuda/persistent_2d.cuh"

namespace isotherm::cuda {
namespace {

template <class Rule>
bool advance_any(cudaStream_t stream, Rule const& rule, FieldView<typename Rule::Real> const& field,
                 LocalBox const& free, std::array<bool, 2> periodic,
                 FieldView<typename Rule::Real const> const& source, std::int64_t steps,
                 Change* change) {
  if constexpr (sizeof(typename Rule::Real) == 4) {
    return persistent_2d::advance_with<Rule, 4, 8, 11, 16, 24>(stream, rule, field, free, periodic,
                                                               source, steps, change);
  } else {
    return persistent_2d::advance_with<Rule, 4, 8, 11, 13>(stream, rule, field, free, periodic,
                                                           source, steps, change);
  }
}

}  // namespace

template <class Rule>
bool advance_resident(cudaStream_t stream, Rule const& rule,
                      FieldView<typename Rule::Real> const& field, LocalBox const& free,
                      std::array<bool, 2> periodic,
                      FieldView<typename Rule::Real const> const& source, std::int64_t steps,
                      Change* change) {
  return advance_any(stream, rule, field, free, periodic, source, steps, change);
}

template bool advance_resident(cudaStream_t, JacobiRule<float, 2> const&, FieldView<float> const&,
                               LocalBox const&, std::array<bool, 2>, FieldView<float const> const&,
                               std::int64_t, Change*);
template bool advance_resident(cudaStream_t, FtcsRule<float, 2> const&, FieldView<float> const&,
                               LocalBox const&, std::array<bool, 2>, FieldView<float const> const&,
                               std::int64_t, Change*);
template bool advance_resident(cudaStream_t, JacobiRule<double, 2> const&, FieldView<double> const&,
                               LocalBox const&, std::array<bool, 2>, FieldView<double const> const&,
                               std::int64_t, Change*);
template bool advance_resident(cudaStream_t, FtcsRule<double, 2> const&, FieldView<double> const&,
                               LocalBox const&, std::array<bool, 2>, FieldView<double const> const&,
                               std::int64_t, Change*);

}  // namespace isotherm::cuda
