#include "kernels/faces/faces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/faces/scatter.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Copying faces of a field: pack, wrap, reflect, extend and fill; and the layout of fields.

namespace isotherm::test {
namespace {

template <class Real>
class Faces : public BackendTest {
 protected:
  static constexpr Extent3 points{9, 7, 5};
  static constexpr Index3 halo{3, 2, 2};

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Field<Real> field_{queue_, points, halo};
  HostBox<Real> before_ = random_points<Real>(field_.layout().box(), 5);

  void SetUp() override {
    BackendTest::SetUp();
    write_points(queue_, field_, before_);
  }

  /// Checks every point of the field: `expected` inside `box`, the old value elsewhere.
  template <class Expected>
  void expect_changed_only_in(LocalBox box, Expected const& expected) {
    auto const after = read_points(queue_, field_, before_.box);
    for_each(before_.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Real const want = box.contains(i, j, k) ? expected(i, j, k) : before_(i, j, k);
      EXPECT_EQ(after(i, j, k), want) << i << ", " << j << ", " << k;
    });
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Faces, Reals);

TYPED_TEST(Faces, PackAndUnpackAreInverse) {
  LocalBox const box{{-3, 1, -2}, {9, 4, 7}};
  auto const packed = read_points(this->queue_, this->field_, box);

  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    EXPECT_EQ(packed(i, j, k), this->before_(i, j, k));
  });
}

/// Hundreds of small parts, as on as many ranks, against a plain loop over their points. The array
/// is scattered in pieces that begin and end anywhere.
TYPED_TEST(Faces, ScatterCopiesValuesOfManyPartsToTheirPoints) {
  std::vector<LocalBox> boxes;
  for (std::int64_t k = 4; k >= -1; k -= 2) {
    for (std::int64_t j = 0; j < 7; ++j) {
      for (std::int64_t i = -3; i < 9; i += 1 + j % 3) {
        boxes.push_back({{i, j, k}, {std::min<std::int64_t>(i + 1 + j % 3, 9), j + 1, k + 2}});
        if (i == 0) boxes.push_back({{0, 0, 0}, {9, 0, 5}});  // empty
      }
    }
  }
  PartTable const table(this->queue_, boxes);
  std::vector<TypeParam> values(static_cast<std::size_t>(table.value_count()));
  HostBox<TypeParam> want = this->before_;
  std::size_t count = 0;
  for (LocalBox const& box : boxes) {
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      want(i, j, k) = values[count] = static_cast<TypeParam>(1000 + count);
      ++count;
    });
  }
  ASSERT_EQ(count, values.size());
  Buffer const array(this->queue_, Space::device, values.size() * sizeof(TypeParam));
  copy_bytes(this->queue_, array.data(), values.data(), array.bytes());

  std::int64_t first = 0;
  for (std::int64_t const length : {1L, 7L, 0L, 100L, table.value_count() - 108}) {
    scatter(this->queue_, table, first, first + length,
            array.template as<TypeParam const>() + first, this->field_.view());
    first += length;
  }

  EXPECT_EQ(read_points(this->queue_, this->field_, want.box).values, want.values);
  EXPECT_THROW(scatter(this->queue_, table, 0, table.value_count() + 1,
                       array.template as<TypeParam const>(), this->field_.view()),
               Error);
  EXPECT_THROW(scatter(this->queue_, PartTable(this->queue_, {{{0, 0, 0}, {20, 1, 1}}}), 0, 1,
                       array.template as<TypeParam const>(), this->field_.view()),
               Error);
}

TYPED_TEST(Faces, WrapCopiesPointsOnePeriodAway) {
  LocalBox const period{{0, 0, 0}, {9, 7, 5}};
  LocalBox const below{{-3, -2, -2}, {12, 9, 0}};  // including edges and corners
  LocalBox const above{{9, 0, 0}, {11, 7, 5}};
  auto const inside = [](std::int64_t i, std::int64_t n) { return (i + n) % n; };
  auto const expected = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return this->before_(inside(i, 9), inside(j, 7), inside(k, 5));
  };

  wrap(this->queue_, this->field_.view(), std::array{below, above}, period);

  auto const after = read_points(this->queue_, this->field_, this->before_.box);
  for_each(after.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    bool const is_filled = below.contains(i, j, k) || above.contains(i, j, k);
    EXPECT_EQ(after(i, j, k), is_filled ? expected(i, j, k) : this->before_(i, j, k))
        << i << ", " << j << ", " << k;
  });
}

TYPED_TEST(Faces, WrapHandlesEmptyBoxesAndSinglePoints) {
  LocalBox const point{{4, 3, 2}, {5, 4, 3}};
  LocalBox const before{{3, 3, 2}, {4, 4, 3}};
  LocalBox const nothing{{7, 3, 2}, {7, 4, 3}};
  LocalBox const after{{5, 3, 2}, {6, 4, 3}};

  wrap(this->queue_, this->field_.view(), std::array{before, nothing, after}, point);
  wrap(this->queue_, this->field_.view(), {}, point);
  wrap(this->queue_, this->field_.view(), std::array{nothing, nothing}, point);

  this->expect_changed_only_in(
      {{3, 3, 2}, {6, 4, 3}},
      [&](std::int64_t, std::int64_t, std::int64_t) { return this->before_(4, 3, 2); });
}

TYPED_TEST(Faces, WrapRefusesInvalidBoxes) {
  LocalBox const period{{3, 2, 1}, {5, 4, 3}};
  LocalBox const inside{{2, 2, 1}, {4, 4, 3}};
  LocalBox const far{{0, 2, 1}, {3, 4, 3}};
  LocalBox const beside{{2, 2, 1}, {3, 4, 3}};
  std::array<LocalBox, max_wrapped_boxes + 1> too_many{};
  too_many.fill(beside);

  for (std::span<LocalBox const> const wrong :
       {std::span<LocalBox const>(&inside, 1), std::span<LocalBox const>(&far, 1),
        std::span<LocalBox const>(too_many)}) {
    EXPECT_THROW(wrap(this->queue_, this->field_.view(), wrong, period), Error);
  }
}

TYPED_TEST(Faces, ReflectMirrorsAtTheBoundaryPlane) {
  LocalBox const below{{-3, -2, -2}, {12, 9, 0}};
  LocalBox const beyond{{9, -2, -2}, {12, 9, 7}};

  reflect(this->queue_, this->field_.view(), below, 2, 0);
  this->expect_changed_only_in(below, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return this->before_(i, j, -k);
  });
  this->before_ = read_points(this->queue_, this->field_, this->before_.box);
  reflect(this->queue_, this->field_.view(), beyond, 0, 8);

  this->expect_changed_only_in(beyond, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return this->before_(16 - i, j, k);
  });
}

TYPED_TEST(Faces, ExtendRepeatsTheLastPlane) {
  LocalBox const beyond{{-2, -1, 5}, {9, 7, 7}};
  extend(this->queue_, this->field_.view(), beyond, 2, 4);
  this->expect_changed_only_in(
      beyond, [&](std::int64_t i, std::int64_t j, std::int64_t) { return this->before_(i, j, 4); });
}

TYPED_TEST(Faces, FillSetsThePoints) {
  LocalBox const box{{2, 3, 1}, {8, 4, 5}};

  fill(this->queue_, this->field_.view(), box, TypeParam{2.5});

  this->expect_changed_only_in(
      box, [](std::int64_t, std::int64_t, std::int64_t) { return TypeParam{2.5}; });
}

TYPED_TEST(Faces, EmptyBoxChangesNothing) {
  LocalBox const nothing{{2, 3, 1}, {2, 4, 5}};

  fill(this->queue_, this->field_.view(), nothing, TypeParam{2.5});
  reflect(this->queue_, this->field_.view(), nothing, 0, 0);

  this->expect_changed_only_in(
      nothing, [](std::int64_t, std::int64_t, std::int64_t) { return TypeParam{0}; });
}

TYPED_TEST(Faces, RefusesBoxesBeyondTheField) {
  LocalBox const box{{-4, 0, 0}, {0, 1, 1}};

  EXPECT_THROW(fill(this->queue_, this->field_.view(), box, TypeParam{}), Error);
  EXPECT_THROW(reflect(this->queue_, this->field_.view(), box, 0, 0), Error);
  EXPECT_THROW(
      wrap(this->queue_, this->field_.view(), std::array{box}, LocalBox{{0, 0, 0}, {9, 7, 5}}),
      Error);
}

TEST(FieldLayout, RowsStartOnWholeCacheLines) {
  for (std::int64_t nx : {1, 31, 32, 33, 1000}) {
    for (std::int64_t halo : {0, 1, 5, 33}) {
      FieldLayout const layout({nx, 3, 2}, {halo, 1, 1}, sizeof(float));
      EXPECT_EQ(layout.origin % 32, 0);
      EXPECT_EQ(layout.row % 32, 0);
      EXPECT_GE(layout.row, nx + 2 * halo);
    }
  }
}

TEST(FieldLayout, OffsetsExceed32Bits) {
  FieldLayout const layout({4096, 4096, 4096}, {2, 2, 2}, sizeof(double));

  EXPECT_GT(layout.elements, std::size_t{4096} * 4096 * 4096);
  EXPECT_EQ(layout.plane, layout.row * 4100);
  EXPECT_GT(layout.plane * 4095, std::int64_t{1} << 35);
}

}  // namespace
}  // namespace isotherm::test
