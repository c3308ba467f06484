#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "jobs/basics/exit_code.hpp"
#include "jobs/post/smooth.hpp"
#include "tests/io/support.hpp"
#include "tests/support/backends.hpp"

namespace isotherm::test {
namespace {

/// The index that stands for one beyond an axis of n points; none where the value there is zero.
std::optional<std::int64_t> inside(std::int64_t at, std::int64_t n, Edges edges) {
  if (at >= 0 && at < n) return at;
  switch (edges) {
    case Edges::wrap:
      return (at + n) % n;
    case Edges::clamp:
      return at < 0 ? 0 : n - 1;
    case Edges::mirror:
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
                  Edges edges) {
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

class Smooth : public BackendTest {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  SharedDirectory directory_{world_};

  [[nodiscard]] SmoothOptions options() const {
    SmoothOptions options;
    options.files = {directory_ / "u_000001.vtkhdf", directory_ / "smooth.vtkhdf", true};
    options.device = tested_backend() == Backend::cuda ? DeviceChoice::cuda : DeviceChoice::cpu;
    return options;
  }

  template <class Real>
  std::vector<Real> write(Grid const& grid) {
    Subdomain const part(grid, choose_decomposition(grid, world_.size()), world_.rank());
    auto const values = values_of<Real>(part, 1e-3);
    write_snapshot<Real>(world_, options().files.input, some_info(), part, values.data(), {}, {});
    return values_of<Real>(Subdomain(grid, {1, 1, 1}, 0), 1e-3);
  }

  template <class Real>
  [[nodiscard]] std::vector<Real> result(Grid const& grid) const {
    mpi::Communicator const alone(MPI_COMM_SELF);
    std::vector<Real> values(static_cast<std::size_t>(grid.point_count()));
    read_snapshot(alone, options().files.output, {grid, {1, 1, 1}, 0}, values.data());
    return values;
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
  void expect_gaussian(Grid const& grid, double width, Edges edges) {
    auto const before = write<Real>(grid);
    Weights expected(before.begin(), before.end());
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] == 1) continue;
      Edges const here = edges != Edges::as_grid ? edges
                         : grid.periodic[axis]   ? Edges::wrap
                                                 : Edges::mirror;
      expected = convolved(expected, grid, axis, gaussian(width / grid.spacing[axis]), here);
    }
    SmoothOptions options = this->options();
    options.width = width;
    options.edges = edges;
    EXPECT_EQ(smooth(world_, options), exit_code::done);
    expect_equal(result<Real>(grid), expected);
  }
};

TEST_F(Smooth, IsTheConvolutionWithAGaussianWhateverLiesBeyondTheEdges) {
  for (Edges const edges :
       {Edges::as_grid, Edges::wrap, Edges::clamp, Edges::mirror, Edges::zero}) {
    expect_gaussian<double>(grid_of({43, 14, 12}), 0.15, edges);
    expect_gaussian<float>(grid_of({23, 41, 1}), 0.3, edges);
  }
}

TEST_F(Smooth, WrapsOnPeriodicAxesUnlessItIsToldOtherwise) {
  Grid grid = grid_of({40, 17, 11});
  grid.periodic = {true, false, true};
  expect_gaussian<float>(grid, 0.2, Edges::as_grid);
  expect_gaussian<double>(grid, 0.2, Edges::clamp);
}

TEST_F(Smooth, TakesAxesOfDifferentSpacingsAndOfOnePoint) {
  Grid grid = grid_of({128, 9, 1});  // radii 24 and 3
  grid.dimension = 3;
  grid.spacing = {0.05, 0.4, 1.0};
  grid.periodic = {false, true, false};
  for (Edges const edges : {Edges::as_grid, Edges::wrap, Edges::mirror, Edges::clamp}) {
    expect_gaussian<double>(grid, 0.3, edges);
  }
}

TEST_F(Smooth, IsTheMeanOfABox) {
  Grid const grid = grid_of({23, 17, 1});
  auto const before = write<double>(grid);
  SmoothOptions options = this->options();
  options.box = true;
  options.width = 1.0;  // two and one points to each side
  EXPECT_EQ(smooth(world_, options), exit_code::done);

  Weights expected(before.begin(), before.end());
  expected = convolved(expected, grid, 0, Weights(5, 0.2L), Edges::mirror);
  expected = convolved(expected, grid, 1, Weights(3, 1.0L / 3.0L), Edges::mirror);
  expect_equal(result<double>(grid), expected);
}

TEST_F(Smooth, TakesWeightsFromAFile) {
  Grid const grid = grid_of({19, 12, 1});
  auto const before = write<double>(grid);
  if (world_.is_root()) std::ofstream(directory_ / "weights") << "0 0\n1.0\t";
  world_.barrier();
  SmoothOptions options = this->options();
  options.weights = directory_ / "weights";
  options.edges = Edges::clamp;

  EXPECT_EQ(smooth(world_, options), exit_code::done);

  Weights expected(before.begin(), before.end());  // shifted by a point along each axis
  for (int const axis : {0, 1}) {
    expected = convolved(expected, grid, axis, {0.0L, 0.0L, 1.0L}, Edges::clamp);
  }
  expect_equal(result<double>(grid), expected);
}

TEST_F(Smooth, RefusesWhatDoesNotFit) {
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
           "19 points to each side, of which the x axis has 18");
  contains(said([](auto& options) { options.width.reset(); }), "--width and --weights");
  contains(said([&](auto& options) { options.files.output = options.files.input; }),
           "is the file to be read");
  contains(said([&](auto& options) { options.files.output = directory_ / "u.h5"; }), ".vtkhdf");
  contains(said([&](auto& options) { options.files.output = directory_ / "no/u.vtkhdf"; }),
           "no directory");
  EXPECT_EQ(said([](auto&) {}), "");
  contains(said([](auto& options) { options.files.overwrite = false; }), "is there already");
}

}  // namespace
}  // namespace isotherm::test
