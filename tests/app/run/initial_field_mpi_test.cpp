#include <gtest/gtest.h>

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "app/run/prepare/initial_field.hpp"
#include "io/hdf5/hdf5.hpp"
#include "tests/io/support.hpp"
#include "tests/support/functions.hpp"

// Initial fields from files: of another grid, box, precision or program.

namespace isotherm::test {
using namespace app;
namespace {

class InitialFieldOfFile : public testing::Test {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  SharedDirectory directory_{world_};
  std::filesystem::path path_ = directory_ / "u_000001.vtkhdf";

  template <class Real>
  void write(Grid const& grid, Function const& function) {
    Subdomain const part(grid, choose_decomposition(grid, world_.size()), world_.rank());
    auto const values = values_on<Real>(grid, part.owned_global(), function);
    write_snapshot<Real>(world_, path_, some_info(), part, values.data(), {}, {});
  }

  /// Writes a dataset of another program: 1, 2, 3 … along x.
  void write_dataset(std::vector<hsize_t> const& shape) {
    world_.barrier();  // no rank reads the previous file any more
    if (world_.is_root()) {
      std::vector<double> values;
      hsize_t count = 1;
      for (hsize_t const n : shape) count *= n;
      for (hsize_t i = 0; i < count; ++i) {
        values.push_back(1.0 + static_cast<double>(i % shape.back()));
      }
      hdf5::File const file(
          hdf5::check(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
      hdf5::Dataspace const space(
          hdf5::check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
      hdf5::Dataset const dataset(
          hdf5::check(H5Dcreate2(file.get(), "/mine", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT)));
      hdf5::check(
          H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    }
    world_.barrier();
  }

  /// A case on `grid` whose initial field is the file.
  /// @param keys  further lines of [initial]
  [[nodiscard]] Case case_on(Grid const& grid, Precision precision, std::string const& keys) const {
    std::string text = fmt::format("[grid]\nprecision = \"{}\"\n", name(precision));
    std::string points;
    std::string lower;
    std::string upper;
    std::string boundary = "[boundary]\nall = { type = \"dirichlet\" }\n";
    for (int axis = 0; axis < grid.dimension; ++axis) {
      points += fmt::format("{}, ", grid.points[axis]);
      lower += fmt::format("{:.17g}, ", grid.lower[axis]);
      upper += fmt::format("{:.17g}, ", grid.upper(axis));
      if (grid.periodic[axis]) {
        boundary += fmt::format("{} = {{ type = \"periodic\" }}\n", "xyz"[axis]);
      }
    }
    text += "points = [" + points + "]\nlower = [" + lower + "]\nupper = [" + upper + "]\n" +
            boundary + "[equation]\ntype = \"diffusion\"\n[method]\nsteps = 1\n" +
            "[initial]\nfile = \"" + path_.string() + "\"\n" + keys;
    return parse_case(text, "case.toml");
  }

  /// The initial values of this rank's part of the case.
  template <class Real>
  std::vector<Real> first_values(mpi::Communicator const& ranks, Case const& chosen,
                                 Subdomain const& part) {
    HostValues values(precision_of<Real>, static_cast<std::size_t>(part.owned().point_count()));
    read_initial_field(ranks, chosen, find_initial_field(chosen), part, values);
    auto const found = span_of<Real>(values.view());
    return {found.begin(), found.end()};
  }

  /// Expects the initial field on `grid` to be the function within some roundings, with the same
  /// bits on any number of ranks.
  template <class Real>
  void expect_function(Grid const& grid, std::string const& keys, Function const& function,
                       double roundings) {
    Case const chosen = case_on(grid, precision_of<Real>, keys);
    Subdomain const part(grid, choose_decomposition(grid, world_.size()), world_.rank());
    auto const found = first_values<Real>(world_, chosen, part);
    mpi::Communicator const alone(MPI_COMM_SELF);
    auto const whole = first_values<Real>(alone, chosen, Subdomain(grid, {1, 1, 1}, 0));
    auto const expected = values_on<Real>(grid, part.owned_global(), function);
    Extent3 const n = part.extent();
    double worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto const number = static_cast<std::int64_t>(i);
      Index3 const at =
          part.to_global(Index3{number % n.x, number / n.x % n.y, number / (n.x * n.y)});
      std::int64_t const index = at.x + grid.points.x * (at.y + grid.points.y * at.z);
      EXPECT_EQ(found[i], whole[static_cast<std::size_t>(index)]);
      worst = std::max(worst, std::abs(static_cast<double>(found[i] - expected[i])));
    }
    EXPECT_LE(worst, roundings * std::numeric_limits<Real>::epsilon());
  }

  /// Returns the message that refuses a case on `grid`; empty if it is accepted.
  [[nodiscard]] std::string refusal(Grid const& grid, std::string const& keys) const {
    Case const chosen = case_on(grid, Precision::float64, keys);
    return message_of<InputError>([&] { (void)find_initial_field(chosen); });
  }
};

/// The same box with other numbers of points.
Grid other_points(Grid grid, Extent3 points) { return with_points(grid, points); }

Function const multilinear = [](double x, double y, double z) {
  return 1.0 + x - 2.0 * y + x * z - 0.5 * y * z + 0.25 * x * y * z;
};
Function const of_degree_three = [](double x, double y, double z) {
  return x * x * x - 0.5 * y * y * y * z + z * z;
};

TEST_F(InitialFieldOfFile, AnotherSizeIsInterpolated) {
  Grid const grid = grid_of({7, 9, 5});
  write<double>(grid, multilinear);
  for (Extent3 const points : {Extent3{13, 17, 9}, Extent3{20, 23, 11}, Extent3{4, 5, 6}}) {
    expect_function<double>(other_points(grid, points), "resample = true", multilinear, 60.0);
    expect_function<float>(other_points(grid, points), "resample = \"linear\"", multilinear, 60.0);
  }
  write<float>(grid, of_degree_three);
  expect_function<double>(other_points(grid, {13, 17, 9}), "resample = \"cubic\"", of_degree_three,
                          400.0 * 0x1p29);  // the file is rounded to float32
  write<double>(grid, of_degree_three);
  expect_function<double>(other_points(grid, {13, 17, 9}), "resample = \"cubic\"", of_degree_three,
                          400.0);
}

TEST_F(InitialFieldOfFile, GradedAxesAreNotInterpolated) {
  Grid const grid = grid_of({5, 9, 1});
  write<double>(grid, multilinear);
  // The section [initial] comes last in the case.
  std::string const graded = "\n[grid.x]\ncoordinates = [-1, -0.75, -0.25, -0.125, 0]\n";
  std::string const refused = refusal(grid, "resample = true" + graded);
  EXPECT_TRUE(refused.ends_with(
      "in the file or the grid the spacing varies on the x axis, and graded axes are "
      "not interpolated (both grids need the same points there)"))
      << refused;
  auto const warnings = find_initial_field(case_on(grid, Precision::float64, graded)).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("has other coordinates on the x axis than the grid (-0.5 instead "
                             "of -0.25): values are copied by index"),
            std::string::npos)
      << warnings[0];

  Grid const same = with_coordinates(grid, 0, {-1.0, -0.75, -0.25, -0.125, 0.0});
  write<double>(same, multilinear);
  EXPECT_TRUE(find_initial_field(case_on(same, Precision::float64, graded)).warnings.empty());
  EXPECT_EQ(refusal(other_points(same, {5, 17, 1}), "resample = true" + graded), "");
}

TEST_F(InitialFieldOfFile, AnotherBoxIsSampledByCoordinates) {
  write<double>(grid_of({9, 10, 1}), multilinear);
  Grid inside = grid_of({12, 21, 1});
  inside.lower = {-0.75, 0.75, 0.0};
  inside.spacing = {0.125, 0.1, 1.0};
  expect_function<double>(inside, "resample = true", multilinear, 60.0);
  // The name of the dataset does not affect its coordinates.
  for (char const* named : {"/u", "u", "/VTKHDF/CellData/u"}) {
    expect_function<double>(inside, fmt::format("dataset = \"{}\"\nresample = true", named),
                            multilinear, 60.0);
  }
  Grid beyond = grid_of({5, 10, 1});
  beyond.lower[0] = 0.5;  // up to 1.5; the file ends at 1
  auto const clamped = [](double x, double y, double z) {
    return multilinear(std::min(x, 1.0), y, z);
  };
  expect_function<double>(beyond, "resample = true", clamped, 60.0);
  auto const warnings =
      find_initial_field(case_on(beyond, Precision::float64, "resample = true")).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("extends from -1 to 1 on the x axis, but the grid from "
                             "0.5 to 1.5: points beyond the file"),
            std::string::npos)
      << warnings[0];
}

TEST_F(InitialFieldOfFile, PeriodicAxesWrapAround) {
  Grid grid = grid_of({16, 12, 1});
  grid.periodic = {true, true, false};
  auto const wave = [](double x, double y, double) {
    return std::sin(0.5 * std::numbers::pi * x) + std::cos(std::numbers::pi * y / 3.0);
  };
  write<double>(grid, wave);
  Grid shifted = grid;
  shifted.lower = {-1.0 + 5.0 * 0.25, 0.5 - 3.0 * 0.5, 0.0};  // integer numbers of spacings
  expect_function<double>(shifted, "resample = true", wave, 20.0);
  expect_function<double>(grid, "resample = true", wave, 0.0);
}

TEST_F(InitialFieldOfFile, SameSizeNeedsNoDataset) {
  Grid const grid = grid_of({6, 5, 4});
  write<double>(grid, multilinear);
  expect_function<double>(grid, "", multilinear, 0.0);
  expect_function<float>(grid, "", multilinear, 0.0);
  Grid elsewhere = grid;
  elsewhere.lower[2] += 1.0;
  auto const warnings = find_initial_field(case_on(elsewhere, Precision::float64, "")).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(
      warnings[0].find("copied by index, not by coordinate (set resample = true to interpolate)"),
      std::string::npos)
      << warnings[0];
}

TEST_F(InitialFieldOfFile, ForeignDatasetSpansTheGrid) {
  Grid const grid = grid_of({13, 7, 5});
  write_dataset({3, 4, 5});  // 5 points along x, values 1 to 5
  Function const straight = [&](double x, double, double) {
    return 1.0 + 4.0 * (x - grid.lower[0]) / grid.length(0);
  };
  expect_function<double>(grid, "dataset = \"/mine\"\nresample = true", straight, 20.0);
  write_dataset({4, 5});
  expect_function<double>(
      other_points(grid_of({13, 7, 1}), {21, 3, 1}), "dataset = \"mine\"\nresample = true",
      [&](double x, double, double) { return 1.0 + 4.0 * (x - grid.lower[0]) / grid.length(0); },
      20.0);
  Grid around = grid_of({10, 7, 1});
  around.periodic[0] = true;  // from the fifth point back to the first value at the end
  expect_function<double>(
      around, "dataset = \"/mine\"\nresample = true",
      [&](double x, double, double) {
        double const at = 5.0 * (x - around.lower[0]) / around.length(0);
        return at <= 4.0 ? 1.0 + at : 5.0 - 4.0 * (at - 4.0);
      },
      20.0);
}

TEST_F(InitialFieldOfFile, MismatchIsRefused) {
  auto const contains = [](std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  std::string const resample = "resample = true";
  write<double>(grid_of({6, 5, 4}), multilinear);
  std::string const where = ": [initial] file = \"" + path_.string() + "\": ";
  contains(
      refusal(grid_of({7, 5, 4}), ""),
      where + path_.string() +
          " has 6 x 5 x 4 points, but the grid has 7 x 5 x 4 (set resample = true to interpolate)");
  contains(refusal(grid_of({7, 5, 4}), "dataset = \"/u\""),
           "its shape is (4, 5, 6), the grid's is (4, 5, 7) (z, y, x) (set resample = true to "
           "interpolate)");
  contains(refusal(grid_of({7, 5, 1}), resample), "is 3D, but the grid of the case is 2D");
  contains(refusal(grid_of({7, 5, 4}), resample + "\ndataset = \"/v\""), "no such dataset");
  Grid far = grid_of({7, 5, 4});
  far.lower[1] = 3.0;
  contains(refusal(far, resample),
           "on the y axis, but the grid of the case from 3 to 5: they do "
           "not overlap");

  write_dataset({1, 5});
  std::string const mine = resample + "\ndataset = \"/mine\"";
  contains(refusal(grid_of({7, 5, 4}), mine), "its shape is (1, 5) (in 3D it must be (z, y, x))");
  contains(refusal(grid_of({7, 5, 1}), mine), "1 point on the y axis, where there are 5");
  contains(refusal(grid_of({7, 5, 1}), resample), "was not written by isotherm: name its dataset");
  contains(refusal(grid_of({7, 5, 1}), resample + "\ndataset = \"/none\""), "no such dataset");
  write_dataset({0, 5});
  contains(refusal(grid_of({7, 5, 1}), mine), "fewer values than can be read");
}

TEST_F(InitialFieldOfFile, DamageIsRefusedOnAllRanks) {
  Grid const grid = grid_of({16, 12, 8});
  write<double>(grid, multilinear);
  Grid const finer = other_points(grid, {31, 23, 15});
  Case const chosen = case_on(finer, Precision::float64, "resample = true");
  if (world_.is_root()) {  // flip one bit of a value
    hdf5::File const file(hdf5::check(H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
    hdf5::Dataset const values(hdf5::check(H5Dopen2(file.get(), "/u", H5P_DEFAULT)));
    std::vector<double> all(16 * 12 * 8);
    H5Dread(values.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
    all.back() = std::nextafter(all.back(), 0.0);
    H5Dwrite(values.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
  }
  world_.barrier();
  Subdomain const part(finer, choose_decomposition(finer, world_.size()), world_.rank());
  std::string const said =
      message_of<InputError>([&] { (void)first_values<double>(world_, chosen, part); });
  EXPECT_NE(said.find("is damaged"), std::string::npos) << said;
}

}  // namespace
}  // namespace isotherm::test
