#include "kernels/sweep/legendre_stage.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/sweep/cpu/legendre_stage.hpp"

namespace isotherm {

namespace {

/// Checks that a field covers a box if it exists.
template <class T>
void check_covers(FieldView<T> const& field, LocalBox const& box) {
  require(!field || field.box.contains(box), "a stage reaches past its fields");
}

/// Returns the points whose values the operator reads at the points of a box.
template <class Operator>
LocalBox with_neighbours(LocalBox const& box) {
  return box.empty() ? box : box.grown({1, 1, Operator::dimension == 3 ? 1 : 0});
}

}  // namespace

template <class Operator, class Real>
void take_first_stage(Queue& queue, Operator const& op, Real factor,
                      FirstStage<Real> const& stage) {
  LocalBox const free = intersection(stage.free, stage.region);
  check_covers(stage.u, with_neighbours<Operator>(free));
  check_covers(stage.source, free);
  for (FieldView<Real> const& field : {stage.start, stage.rate, stage.out}) {
    check_covers(field, stage.region);
  }
  if (stage.region.empty()) return;
  dispatch(
      queue, [&] { cpu::take_first_stage(op, factor, stage); },
      [&](auto) { first_stage_by_points(queue, op, factor, stage); });
}

template <class Operator, class Real>
void take_later_stage(Queue& queue, Operator const& op, LegendreFactors<Real> const& factors,
                      LaterStage<Real> const& stage) {
  check_covers(stage.latest, with_neighbours<Operator>(stage.box));
  for (FieldView<Real const> const& field :
       {stage.source, stage.start, stage.rate, FieldView<Real const>(stage.out)}) {
    check_covers(field, stage.box);
  }
  if (stage.box.empty()) return;
  dispatch(
      queue, [&] { cpu::take_later_stage(op, factors, stage); },
      [&](auto) { later_stage_by_points(queue, op, factors, stage); });
}

#define ISOTHERM_INSTANTIATE(...)                                                        \
  template void take_first_stage(Queue&, __VA_ARGS__ const&, typename __VA_ARGS__::Real, \
                                 FirstStage<typename __VA_ARGS__::Real> const&);         \
  template void take_later_stage(Queue&, __VA_ARGS__ const&,                             \
                                 LegendreFactors<typename __VA_ARGS__::Real> const&,     \
                                 LaterStage<typename __VA_ARGS__::Real> const&);
ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
