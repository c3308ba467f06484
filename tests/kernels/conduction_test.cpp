#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "kernels/conduction/coarse_point_table.hpp"
#include "kernels/conduction/coarsening.hpp"
#include "kernels/conduction/component_sums.hpp"
#include "kernels/conduction/correction_operator.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "kernels/conduction/transfer.hpp"
#include "kernels/core/error.hpp"
#include "kernels/multigrid/coarsest/dense.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/search_direction.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Multigrid for variable coefficients: coarsening, transfers, dense solve and sums over components.

namespace isotherm::test {
namespace {

constexpr Index3 halo{2, 2, 2};

/// A field with the same values on the host and on the tested backend.
template <class Real>
struct Both {
  Both(Queue& queue, Extent3 points) : field(queue, points, halo), numbers(field.view().box) {}
  void send(Queue& queue) { write_points(queue, field, numbers); }
  Field<Real> field;
  HostBox<Real> numbers;
};

/// A heterogeneous operator on a box that nothing leaves: conductances of 1e-3 to 1e3, some fixed
/// points, and a small reaction term.
template <class Real>
class Flow {
 public:
  Flow(Queue& queue, Extent3 points) : points_(points) {
    for (int n = 0; n < 4; ++n) fields_.emplace_back(queue, points);
    LocalBox const owned{{}, points};
    for (int n = 0; n < 4; ++n) {
      auto const random = random_points<Real>(owned, 40U + static_cast<unsigned>(n));
      for_each(owned, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        Index3 const p{i, j, k};
        bool const last = n < 3 && p[n] == points[n] - 1;
        Real value = last ? Real{0} : std::pow(Real{10}, 3 * random(i, j, k));
        if (n == 3) value = std::max(Real{0}, random(i, j, k));
        bool const stays = (i * 7 + j * 5 + k * 3) % 11 == 0;
        if (n == 0 && stays) value = -value;
        if (n == 3 && stays) value = 0;
        fields_[static_cast<std::size_t>(n)].numbers(i, j, k) = value;
      });
    }
    for (auto& field : fields_) field.send(queue);
  }
  [[nodiscard]] OperatorFields<Real> view() {
    return {fields_[0].field.view(), fields_[1].field.view(), fields_[2].field.view(),
            fields_[3].field.view()};
  }
  [[nodiscard]] OperatorFields<Real const> read() {
    OperatorFields<Real> const all = view();
    return {all.x, all.y, all.z, all.reaction};
  }
  [[nodiscard]] Real at(int n, Index3 p) const {
    return fields_[static_cast<std::size_t>(n)].numbers(p.x, p.y, p.z);
  }
  [[nodiscard]] Extent3 points() const { return points_; }
  void fetch(Queue& queue) {
    for (auto& both : fields_) {
      auto const owned = read_points(queue, both.field, {{}, points_});
      for_each(owned.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        both.numbers(i, j, k) = owned(i, j, k);
      });
    }
  }

 private:
  Extent3 points_;
  std::vector<Both<Real>> fields_{};
};

/// The coarse points of an axis: every second point, computed or from a table, or other points.
enum class Rule { every_second, listed, few };

std::vector<std::int64_t> remaining_of(Rule rule, std::int64_t points) {
  std::vector<std::int64_t> all;
  CoarseFineSplitting const every_second{points, false};
  for (std::int64_t p = 0; p < points; ++p) {
    bool const inner = p > 0 && p + 1 < points;
    bool const f_point =
        rule == Rule::few ? inner && p % 5 != 4 && p % 2 == 0 : every_second.is_f_point(p);
    if (!f_point) all.push_back(p);
  }
  return all;
}

template <class Real>
class Conduction : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  AxisCoarsening along(int axis, Extent3 points, Rule rule) {
    CoarseFineSplitting splitting{points[axis], false};
    if (rule != Rule::every_second) {
      lists_.emplace_back(queue_, points[axis], remaining_of(rule, points[axis]));
      splitting.table = lists_.back().table();
    }
    return {axis, 3, splitting};
  }
  static Extent3 coarse_of(Extent3 points, int axis, Rule rule) {
    points[axis] = static_cast<std::int64_t>(remaining_of(rule, points[axis]).size());
    return points;
  }

 private:
  std::vector<CoarsePointTableMemory> lists_{};
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Conduction, Reals);

constexpr Extent3 sizes[] = {{9, 7, 5}, {8, 6, 10}, {1, 4, 3}, {2, 2, 2}};

/// The energy Σ g (u − u_neighbour)² + s u² of a field, computed by plain loops on the host.
template <class Real>
double energy(Flow<Real> const& flow, HostBox<double> const& u) {
  double sum = 0;
  Extent3 const n = flow.points();
  for_each({{}, n}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Index3 const p{i, j, k};
    sum += static_cast<double>(flow.at(3, p)) * u(i, j, k) * u(i, j, k);
    for (int axis = 0; axis < 3; ++axis) {
      if (p[axis] + 1 == n[axis]) continue;
      Index3 next = p;
      ++next[axis];
      double const difference = u(i, j, k) - u(next.x, next.y, next.z);
      sum += std::abs(static_cast<double>(flow.at(axis, p))) * difference * difference;
    }
  });
  return sum;
}

/// In one dimension coarsening is exact: the energy of coarse values is the minimum energy of all
/// fine fields with these values at the C points.
TYPED_TEST(Conduction, CoarseningOfALinePreservesTheEnergy) {
  for (int which = 0; which < 6; ++which) {
    int const axis = which / 2;
    Rule const rule = which % 2 == 0 ? Rule::every_second : Rule::few;
    Extent3 points{1, 1, 1};
    points[axis] = 12;
    Flow<TypeParam> fine(this->queue_, points);
    // Without a reaction term at F points, interpolation follows the conductances alone.
    Both<TypeParam> none(this->queue_, points);
    none.send(this->queue_);
    auto fields = fine.read();
    fields.reaction = std::as_const(none.field).view();
    Field<TypeParam> weights(this->queue_, points, halo);
    Extent3 const coarse_points = this->coarse_of(points, axis, rule);
    Flow<TypeParam> coarse(this->queue_, coarse_points);
    AxisCoarsening const by = this->along(axis, points, rule);
    set_interpolation_weights(this->queue_, by, fields, weights.view(), {{}, points});
    coarsen_operator(this->queue_, by, fields, std::as_const(weights).view(), coarse.view(),
                     {{}, coarse_points});
    coarse.fetch(this->queue_);
    auto w = read_points(this->queue_, weights, {{}, points});
    HostBox<double> at_coarse({{}, coarse_points});
    HostBox<double> at_fine({{}, points});
    auto const place = [axis](std::int64_t n) {
      Index3 p{};
      p[axis] = n;
      return p;
    };
    auto const value = [](auto& box, Index3 p) -> auto& { return box(p.x, p.y, p.z); };
    auto const stays = [&](std::int64_t n) { return std::signbit(fine.at(0, place(n))); };
    for (std::int64_t n = 0; n < coarse_points[axis]; ++n) {
      std::int64_t const c_point = remaining_of(rule, points[axis])[static_cast<std::size_t>(n)];
      double const chosen = stays(c_point) ? 0.0 : 0.3 + std::sin(static_cast<double>(3 * n));
      value(at_coarse, place(n)) = value(at_fine, place(c_point)) = chosen;
    }
    auto const remain = remaining_of(rule, points[axis]);
    for (std::int64_t n = 1; n < points[axis]; ++n) {
      if (std::ranges::binary_search(remain, n)) continue;
      double const weight = value(w, place(n));
      double const behind = n + 1 < points[axis] ? value(at_fine, place(n + 1)) : 0.0;
      value(at_fine, place(n)) =
          weight < 0 ? 0.0 : weight * value(at_fine, place(n - 1)) + (1 - weight) * behind;
    }
    double fine_energy = energy(fine, at_fine);
    for (std::int64_t n = 0; n < points[axis]; ++n) {
      double const u = value(at_fine, place(n));
      fine_energy -= static_cast<double>(fine.at(3, place(n))) * u * u;
    }
    EXPECT_NEAR(energy(coarse, at_coarse) / fine_energy, 1.0,
                100 * std::numeric_limits<TypeParam>::epsilon());
  }
}

/// A fine and a coarse grid, and the transfers between them, coarsened along one axis after
/// another.
template <class Real>
struct TwoGrids {
  template <class Along, class CoarseOf>
  TwoGrids(Queue& queue, Extent3 points, Along const& along, CoarseOf const& coarse_of) {
    grids.emplace_back(queue, points);
    by.fine_points = points;
    weights.reserve(3);
    CoarsePointTable* const tables[] = {&by.table_x, &by.table_y, &by.table_z};
    for (int axis = 0; axis < 3; ++axis) {
      Extent3 const before = grids.back().points();
      weights.emplace_back(queue, before, halo);
      AxisCoarsening const step = along(axis, before);
      *tables[axis] = step.splitting.table;
      set_interpolation_weights(queue, step, grids.back().read(), weights.back().view(),
                                {{}, before});
      Flow<Real> next(queue, coarse_of(before, axis));
      coarsen_operator(queue, step, grids.back().read(), std::as_const(weights.back()).view(),
                       next.view(), {{}, next.points()});
      next.fetch(queue);
      grids.push_back(std::move(next));
    }
    by.coarsened_x = by.coarsened_y = by.coarsened_z = true;
    by.weights_x = std::as_const(weights[0]).view();
    by.weights_y = std::as_const(weights[1]).view();
    by.weights_z = std::as_const(weights[2]).view();
    by.coarse_points = grids.back().points();
  }
  std::vector<Flow<Real>> grids{};
  std::vector<Field<Real>> weights{};
  HeterogeneousTransfer<Real> by{};
};

/// Restriction is the transpose of prolongation, and fixed points receive nothing.
TYPED_TEST(Conduction, RestrictionIsTheTransposeOfProlongation) {
  for (Extent3 const points : sizes) {
    std::vector<std::vector<TypeParam>> results;  // one for each rule
    for (Rule const rule : {Rule::every_second, Rule::listed, Rule::few}) {
      TwoGrids<TypeParam> of(
          this->queue_, points,
          [&](int axis, Extent3 before) { return this->along(axis, before, rule); },
          [&](Extent3 before, int axis) { return this->coarse_of(before, axis, rule); });
      HeterogeneousTransfer<TypeParam> const& by = of.by;
      std::vector<Flow<TypeParam>> const& grids = of.grids;
      Extent3 const few = grids.back().points();
      Both<TypeParam> fine(this->queue_, points), coarse(this->queue_, few);
      Both<TypeParam> gathered(this->queue_, few), spread(this->queue_, points);
      auto const a = random_points<TypeParam>({{}, points}, 7);
      auto const b = random_points<TypeParam>({{}, few}, 8);
      for_each(a.box, [&](auto i, auto j, auto k) { fine.numbers(i, j, k) = a(i, j, k); });
      for_each(b.box, [&](auto i, auto j, auto k) { coarse.numbers(i, j, k) = b(i, j, k); });
      for (auto* both : {&fine, &coarse, &gathered, &spread}) both->send(this->queue_);
      restrict_residual(this->queue_, by, std::as_const(fine.field).view(), gathered.field.view(),
                        {{}, few});
      prolongate_correction(this->queue_, by, std::as_const(coarse.field).view(),
                            spread.field.view(), {{}, points});
      FieldInnerProducts products(this->queue_);
      auto const product = [&](Field<TypeParam> const& one, Field<TypeParam> const& other,
                               Extent3 box) {
        return products
            .of(this->queue_, one.view(), other.view(), FieldView<TypeParam const>{}, {{}, box})
            .ab;
      };
      EXPECT_NEAR(product(gathered.field, coarse.field, few),
                  product(fine.field, spread.field, points),
                  200 * std::numeric_limits<TypeParam>::epsilon() *
                      static_cast<double>(fine.numbers.box.point_count()));
      auto const there = read_points(this->queue_, spread.field, {{}, points});
      for_each(there.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        bool const f_point = !std::ranges::binary_search(remaining_of(rule, points.x), i);
        if (f_point && std::signbit(grids[0].at(0, {i, j, k}))) {
          EXPECT_EQ(there(i, j, k), 0) << i << ' ' << j << ' ' << k;
        }
      });
      // Coarse conductances are not negative, and the coarse points are fixed if their fine points
      // are.
      for_each({{}, few}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        Index3 const p{i, j, k};
        auto const fine_of = [&](int axis) {
          return remaining_of(rule, points[axis])[static_cast<std::size_t>(p[axis])];
        };
        Index3 const at{fine_of(0), fine_of(1), fine_of(2)};
        EXPECT_EQ(std::signbit(grids.back().at(0, p)), std::signbit(grids[0].at(0, at)));
        for (int n = 1; n < 4; ++n) EXPECT_GE(grids.back().at(n, p), 0);
      });
      auto const sums = read_points(this->queue_, gathered.field, {{}, few});
      results.push_back(there.values);
      results.back().insert(results.back().end(), sums.values.begin(), sums.values.end());
    }
    EXPECT_EQ(results[0], results[1]) << "a table of every second point";
    if (points.x > 4) {
      EXPECT_NE(results[0].size(), results[2].size());
    }
  }
}

TEST(CoarsePointTableMemory, ListPointsWhoseNeighboursAreCoarsePoints) {
  Queue queue(Backend::cpu);
  auto const lists = [&](std::int64_t points, std::vector<std::int64_t> const& c_point) {
    return CoarsePointTableMemory(queue, points, c_point);
  };
  EXPECT_NO_THROW(lists(6, {0, 2, 4, 5}));
  EXPECT_NO_THROW(lists(2, {0}));
  EXPECT_NO_THROW(lists(1, {0}));
  EXPECT_THROW(lists(6, {0, 3, 4, 5}), Error);
  EXPECT_THROW(lists(6, {1, 3, 5}), Error);
  EXPECT_THROW(lists(6, {0, 2, 4}), Error);
  EXPECT_THROW(lists(6, {0, 2, 4, 6}), Error);
  EXPECT_THROW(lists(6, {0, 2, 2, 4, 5}), Error);
}

TYPED_TEST(Conduction, FaceConductancesAreHarmonicMeans) {
  EXPECT_DOUBLE_EQ(conductance_between(2.0, 6.0, 5.0), 15.0);
  EXPECT_EQ(conductance_between(-2.0, 6.0, 1.0), 3.0);
  EXPECT_EQ(conductance_between(0.0, 6.0, 1.0), 0.0);
  EXPECT_FALSE(std::signbit(conductance_between(3.0, -0.0, 1.0)));
  EXPECT_EQ(conductance_between(0.0, -0.0, 1.0), 0.0);
}

TYPED_TEST(Conduction, DenseProductMatchesPlainLoops) {
  Extent3 const points{5, 3, 4};
  std::size_t const n = 60;
  std::vector<TypeParam> matrix(n * n);
  for (std::size_t m = 0; m < matrix.size(); ++m) {
    matrix[m] = static_cast<TypeParam>(std::sin(static_cast<double>(m)));
  }
  Buffer numbers(this->queue_, Space::device, matrix.size() * sizeof(TypeParam));
  copy_bytes(this->queue_, numbers.data(), matrix.data(), numbers.bytes());
  Both<TypeParam> from(this->queue_, points), to(this->queue_, points);
  from.numbers = random_points<TypeParam>(from.numbers.box, 3);
  from.send(this->queue_);
  to.send(this->queue_);
  LocalBox const box{{}, points};
  multiply_dense(this->queue_, numbers.template as<TypeParam const>(),
                 std::as_const(from.field).view(), to.field.view(), box);
  auto const found = read_points(this->queue_, to.field, box);
  std::size_t row = 0;
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double wanted = 0;
    std::size_t column = 0;
    for_each(box, [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      wanted += static_cast<double>(matrix[row * n + column++]) *
                static_cast<double>(from.numbers(a, b, c));
    });
    EXPECT_NEAR(found(i, j, k), wanted, 100 * std::numeric_limits<TypeParam>::epsilon());
    ++row;
  });
}

/// Rows of different lengths, in parts of several rows, which omit some points.
TYPED_TEST(Conduction, IslandSumsMatchPlainLoops) {
  Extent3 const points{83, 11, 3};
  std::vector<ComponentRow> rows;
  std::vector<ComponentPart> parts;
  std::vector<int> part_of_point(static_cast<std::size_t>(83 * 11 * 3), -1);
  for (std::int32_t n = 0; n < 33; ++n) {
    std::int32_t const first = n % 7;
    std::int32_t const count = n % 5 == 0 ? 1 : 40 + n;
    if (n % 9 == 0) parts.push_back({n, n});
    rows.push_back({first, n % 11, n / 11, count});
    ++parts.back().end;
    for (std::int32_t i = first; i < first + count; ++i) {
      part_of_point[static_cast<std::size_t>(n * 83 + i)] = static_cast<int>(parts.size()) - 1;
    }
  }
  ComponentPoints components(this->queue_, rows, parts);
  Both<TypeParam> field(this->queue_, points);
  field.numbers = random_points<TypeParam>(field.numbers.box, 5);
  field.send(this->queue_);

  LocalBox const box{{}, points};
  std::vector<double> wanted(parts.size());
  std::size_t number = 0;
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    int const part = part_of_point[number++];
    if (part >= 0)
      wanted[static_cast<std::size_t>(part)] += 2.0 * static_cast<double>(field.numbers(i, j, k));
  });
  ComponentTerm<TypeParam, 3> const term{
      {}, std::as_const(field.field).view(), box, {.values = 2.0}};
  std::span<double const> const found = components.sums(this->queue_, term);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) EXPECT_NEAR(found[n], wanted[n], 1e-12) << n;

  std::vector<double> const more{1.0, 0.0, -2.0, 0.5};
  components.add(this->queue_, field.field.view(), more);
  auto const after = read_points(this->queue_, field.field, box);
  number = 0;
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    int const part = part_of_point[number++];
    double const of_part = part < 0 ? 0.0 : more[static_cast<std::size_t>(part)];
    auto const before = static_cast<double>(field.numbers(i, j, k));
    ASSERT_EQ(after(i, j, k), static_cast<TypeParam>(before + of_part))
        << i << ' ' << j << ' ' << k;
  });
}

}  // namespace
}  // namespace isotherm::test
