#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "app/post/fields/smooth.hpp"
#include "case/basics/exit_code.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/field_command.hpp"
#include "tests/support/oracles/edge_mode_oracle.hpp"

// The command `smooth`: convolution with Gaussians, boxes and tables of weights.

namespace isotherm::test {
using namespace app;
namespace {

/// The index that replaces one beyond an axis of n points; none if the value there is zero.
std::optional<std::int64_t> inside(std::int64_t at, std::int64_t n, EdgeMode edges) {
  if (at >= 0 && at < n) return at;
  switch (edges) {
    case EdgeMode::wrap:
      return (at + n) % n;
    case EdgeMode::clamp:
      return at < 0 ? 0 : n - 1;
    case EdgeMode::mirror:
      return at < 0 ? -at : 2 * (n - 1) - at;
    default:
      return std::nullopt;
  }
}

using Weights = std::vector<long double>;

Weights gaussian(double width) {
  auto const radius = static_cast<int>(4.0 * width + 0.5);
  Weights weights;
  long double sum = 0.0L;
  for (int m = -radius; m <= radius; ++m) {
    weights.push_back(std::exp(-0.5L * m * m / (static_cast<long double>(width) * width)));
    sum += weights.back();
  }
  for (long double& weight : weights) weight /= sum;
  return weights;
}

/// A field of the whole grid, x fastest, convolved along one axis by plain loops.
Weights convolved(Weights const& field, Grid const& grid, int axis, Weights const& weights,
                  EdgeMode edges) {
  Extent3 const n = grid.points;
  auto const at = [&](Index3 p) {
    return field[static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x)];
  };
  auto const radius = static_cast<std::int64_t>(weights.size() / 2);
  Weights result;
  for (std::int64_t k = 0; k < n.z; ++k) {
    for (std::int64_t j = 0; j < n.y; ++j) {
      for (std::int64_t i = 0; i < n.x; ++i) {
        long double sum = 0.0L;
        for (std::int64_t m = -radius; m <= radius; ++m) {
          Index3 p{i, j, k};
          auto const index = inside(p[axis] + m, n[axis], edges);
          if (!index) continue;
          p[axis] = *index;
          sum += weights[static_cast<std::size_t>(m + radius)] * at(p);
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

/// Options for the edges: these, and none.
std::vector<std::optional<EdgeMode>> with_none(std::vector<EdgeMode> const& some) {
  std::vector<std::optional<EdgeMode>> all(some.begin(), some.end());
  all.push_back(std::nullopt);
  return all;
}

class Smooth : public FieldCommandTest {
 protected:
  [[nodiscard]] SmoothOptions options() const {
    SmoothOptions options;
    options.files = files_;
    options.device = device_;
    return options;
  }

  template <class Real>
  std::vector<Real> write(Grid const& grid) {
    auto const values = [](Subdomain const& part) { return values_of<Real>(part, 1e-3); };
    write_field<Real>(files_.input, grid, values);
    return values(Subdomain(grid, {1, 1, 1}, 0));
  }

  template <class Real>
  void expect_equal(std::vector<Real> const& found, Weights const& expected) const {
    long double largest = 0.0L;
    long double size = 0.0L;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<long double>(found[i]) - expected[i]));
      size = std::max(size, std::abs(expected[i]));
    }
    EXPECT_LE(largest, 20.0L * std::numeric_limits<Real>::epsilon() * size);
  }

  template <class Real>
  void expect_gaussian(Grid const& grid, double width, std::optional<EdgeMode> edges) {
    auto const before = write<Real>(grid);
    Weights expected(before.begin(), before.end());
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] == 1) continue;
      EdgeMode const here = edges.value_or(grid.periodic[axis] ? EdgeMode::wrap : EdgeMode::mirror);
      expected = convolved(expected, grid, axis, gaussian(width / grid.spacing[axis]), here);
    }
    SmoothOptions options = this->options();
    options.width = width;
    options.edge_mode = edges;
    EXPECT_EQ(smooth(world_, options), exit_code::done);
    expect_equal(made_on<Real>(grid), expected);
  }
};

TEST_F(Smooth, GaussianConvolutionWithEveryKindOfEdge) {
  for (std::optional<EdgeMode> const edges :
       with_none({EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror, EdgeMode::zero})) {
    expect_gaussian<double>(grid_of({43, 14, 12}), 0.15, edges);
    expect_gaussian<float>(grid_of({23, 41, 1}), 0.3, edges);
  }
}

TEST_F(Smooth, WrapsOnPeriodicAxesByDefault) {
  Grid grid = grid_of({40, 17, 11});
  grid.periodic = {true, false, true};
  expect_gaussian<float>(grid, 0.2, std::nullopt);
  expect_gaussian<double>(grid, 0.2, EdgeMode::clamp);
}

TEST_F(Smooth, AcceptsUnequalSpacingsAndSinglePoints) {
  Grid grid = grid_of({128, 9, 1});  // radii of 24 and 3 points
  grid.dimension = 3;
  grid.spacing = {0.05, 0.4, 1.0};
  grid.periodic = {false, true, false};
  for (std::optional<EdgeMode> const edges :
       with_none({EdgeMode::wrap, EdgeMode::mirror, EdgeMode::clamp})) {
    expect_gaussian<double>(grid, 0.3, edges);
  }
}

TEST_F(Smooth, BoxFilterIsTheMean) {
  Grid const grid = grid_of({23, 17, 1});
  auto const before = write<double>(grid);
  SmoothOptions options = this->options();
  options.box = true;
  options.width = 1.0;  // two points to each side along x, one along y
  EXPECT_EQ(smooth(world_, options), exit_code::done);

  Weights expected(before.begin(), before.end());
  expected = convolved(expected, grid, 0, Weights(5, 0.2L), EdgeMode::mirror);
  expected = convolved(expected, grid, 1, Weights(3, 1.0L / 3.0L), EdgeMode::mirror);
  expect_equal(made_on<double>(grid), expected);
}

TEST_F(Smooth, ReadsWeightsFromAFile) {
  Grid const grid = grid_of({19, 12, 1});
  auto const before = write<double>(grid);
  if (world_.is_root()) std::ofstream(directory_ / "weights") << "0 0 1.0\t\n\n";
  world_.barrier();
  SmoothOptions options = this->options();
  options.weights = directory_ / "weights";
  options.edge_mode = EdgeMode::clamp;

  EXPECT_EQ(smooth(world_, options), exit_code::done);

  Weights expected(before.begin(), before.end());  // shifted by one point along each axis
  for (int const axis : {0, 1}) {
    expected = convolved(expected, grid, axis, {0.0L, 0.0L, 1.0L}, EdgeMode::clamp);
  }
  expect_equal(made_on<double>(grid), expected);
}

/// The same with a table of weights, by plain loops.
Weights correlated(Weights const& field, Grid const& grid, Weights const& table, Extent3 extent,
                   EdgeMode edges) {
  Extent3 const n = grid.points;
  Weights result;
  for (std::int64_t k = 0; k < n.z; ++k) {
    for (std::int64_t j = 0; j < n.y; ++j) {
      for (std::int64_t i = 0; i < n.x; ++i) {
        long double sum = 0.0L;
        for (std::int64_t m = 0; m < std::ssize(table); ++m) {
          std::int64_t const row = m / extent.x;
          std::int64_t const x = walked_to(i + m % extent.x - extent.x / 2, n.x, edges);
          std::int64_t const y = walked_to(j + row % extent.y - extent.y / 2, n.y, edges);
          std::int64_t const z = walked_to(k + row / extent.y - extent.z / 2, n.z, edges);
          if (x < 0 || y < 0 || z < 0) continue;
          sum += table[static_cast<std::size_t>(m)] *
                 field[static_cast<std::size_t>((z * n.y + y) * n.x + x)];
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

class SmoothByTable : public Smooth {
 protected:
  /// Weights that are not separable, and exact in a text of few digits.
  static Weights some_table(Extent3 extent) {
    Weights table;
    for (std::int64_t n = 0; n < extent.x * extent.y * extent.z; ++n) {
      table.push_back(static_cast<long double>((5 * n * n + n) % 17 - 4) / 64.0L);
    }
    return table;
  }

  /// Writes the rows, with a blank line after each plane.
  void write_table(Weights const& table, Extent3 extent) {
    world_.barrier();
    if (world_.is_root()) {
      std::ofstream file(directory_ / "weights");
      for (std::int64_t n = 0; n < std::ssize(table); ++n) {
        file << static_cast<double>(table[static_cast<std::size_t>(n)])
             << ((n + 1) % extent.x != 0                ? " "
                 : (n + 1) % (extent.x * extent.y) != 0 ? "\n"
                                                        : "\n\n");
      }
    }
    world_.barrier();
  }

  /// Expects the result of plain loops within rounding, and the bits of one rank.
  template <class Real>
  void expect_correlated(Grid const& grid, Extent3 extent) {
    auto const before = write<Real>(grid);
    Weights const field(before.begin(), before.end());
    Weights const table = some_table(extent);
    write_table(table, extent);
    SmoothOptions options = this->options();
    options.weights = directory_ / "weights";
    for (EdgeMode const edges :
         {EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror, EdgeMode::zero}) {
      options.edge_mode = edges;
      EXPECT_EQ(smooth(world_, options), exit_code::done);
      auto const found = made_on<Real>(grid);
      expect_equal(found, correlated(field, grid, table, extent, edges));
      if (world_.size() == 1 || edges != EdgeMode::wrap) continue;
      expect_same_alone(found, [&](mpi::Communicator const& alone, FieldFiles const& files) {
        SmoothOptions same = options;
        same.files = files;
        EXPECT_EQ(smooth(alone, same), exit_code::done);
      });
    }
  }

  std::string refusal(Grid const& grid, Extent3 extent) {
    write<double>(grid);
    write_table(some_table(extent), extent);
    SmoothOptions options = this->options();
    options.weights = directory_ / "weights";
    return message_of<InputError>([&] { smooth(world_, options); });
  }
};

TEST_F(SmoothByTable, AcceptsNonSeparableWeights) {
  for (Extent3 const extent : {Extent3{3, 3, 1}, {3, 9, 1}}) {
    expect_correlated<double>(grid_of({23, 21, 1}), extent);
  }
  for (Extent3 const extent : {Extent3{5, 3, 1}, {9, 7, 1}}) {
    expect_correlated<float>(grid_of({23, 21, 1}), extent);
  }
  expect_correlated<float>(grid_of({9, 6, 7}), {3, 5, 1});  // in each plane
}

TEST_F(SmoothByTable, AcceptsWeightsIn3D) {
  expect_correlated<double>(grid_of({19, 8, 6}), {5, 3, 7});
  expect_correlated<float>(grid_of({19, 8, 6}), {3, 1, 3});
}

TEST_F(SmoothByTable, ReachMayExceedTheParts) {
  expect_correlated<float>(grid_of({6, 3, 9}), {15, 13, 3});
  expect_correlated<double>(grid_of({8, 2, 1}), {3, 63, 1});
}

TEST_F(SmoothByTable, PlanesOfWeightsNeedAFieldIn3D) {
  Grid const grid = grid_of({9, 8, 1});
  EXPECT_NE(refusal(grid, {3, 3, 3}).find("3 planes of weights for a 3D field"), std::string::npos);
  EXPECT_EQ(refusal(grid, {3, 1, 3}), "");  // rows with blank lines between them
  EXPECT_NE(refusal(grid, {3, 1, 4}).find("a table of 4 rows of 3 weights"), std::string::npos);
}

TEST_F(SmoothByTable, RefusesTooManyRows) {
  EXPECT_NE(refusal(grid_of({9, 8, 6}), {3, 9, 500}).find("has more than 3969 rows"),
            std::string::npos);
}

TEST_F(Smooth, RefusesInvalidOptions) {
  Grid const grid = grid_of({19, 12, 1});
  write<double>(grid);
  auto const said = [&](auto const& change) {
    SmoothOptions options = this->options();
    options.width = 0.1;
    change(options);
    return message_of<InputError>([&] { smooth(world_, options); });
  };
  auto const contains = [](std::string const& text, char const* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(said([](auto& options) { options.width = 100.0; }), "at most 31.75");
  contains(said([](auto& options) { options.width = 1.2; }),
           "19 points to each side, but the x axis allows only 18");
  contains(said([](auto& options) { options.width.reset(); }), "--width or --weights");
  contains(said([&](auto& options) { options.files.output = options.files.input; }),
           "is an input file");
  contains(said([&](auto& options) { options.files.output = directory_ / "u.h5"; }), ".vtkhdf");
  contains(said([&](auto& options) { options.files.output = directory_ / "no/u.vtkhdf"; }),
           "no directory");
  EXPECT_EQ(said([](auto&) {}), "");
  contains(said([](auto& options) { options.files.overwrite = false; }), "already exists");
}

TEST_F(Smooth, RefusesGradedAxes) {
  write<double>(with_coordinates(grid_of({4, 9, 5}), 0, {0.0, 1.0, 1.5, 4.0}));
  SmoothOptions options = this->options();
  options.width = 0.5;
  std::string const message = message_of<InputError>([&] { smooth(world_, options); });
  EXPECT_NE(message.find("varies on the x axis"), std::string::npos) << message;
}

}  // namespace
}  // namespace isotherm::test
