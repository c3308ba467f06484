#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "case/expressions/expression.hpp"
#include "case/read_case.hpp"
#include "python/in_memory/live_solver.hpp"
#include "tests/case/case_texts.hpp"
#include "tests/io/support.hpp"
#include "tests/io/value_files.hpp"
#include "tests/support/data_file.hpp"

// Cases with values in HDF5 files behave like cases with expressions.

namespace isotherm::test {
namespace {

/// How a dataset is stored.
enum class Stored { plainly, in_chunks, as_truths, as_bytes, as_float32 };

/// The expression from which a dataset is made.
struct Said {
  std::string expression;
  std::optional<Face> face{};
  Stored stored = Stored::plainly;
};
using AllSaid = std::map<std::string, Said>;  ///< by name of the dataset

Function function_of_text(std::string const& text) {
  ScalarFunction const function = parse_expression(text, false, {});
  return [function](double x, double y, double z) { return function(x, y, z, 0.0); };
}

void add(DataFile& file, std::string const& name, Said const& said, Grid const& grid) {
  Function const function = function_of_text(said.expression);
  if (said.face) return file.add(name, grid, *said.face, function);
  std::vector<hsize_t> const chunk(static_cast<std::size_t>(grid.dimension), 4);
  switch (said.stored) {
    case Stored::plainly:
      return file.add(name, grid, function);
    case Stored::in_chunks:
      return file.add(name, grid, function, H5T_IEEE_F64BE, chunk);
    case Stored::as_truths:
      return file.add(name, grid, function, truths().get());
    case Stored::as_bytes:
      return file.add(name, grid, function, H5T_STD_U8LE, chunk);
    case Stored::as_float32:
      return file.add(name, grid, function, H5T_IEEE_F32LE);
  }
}

/// Returns the text with each "@name" replaced.
template <class Replacement>
std::string filled(std::string text, AllSaid const& all, Replacement const& replacement) {
  for (auto const& [name, said] : all) {
    std::string const mark = '@' + name + '@';
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.replace(at, mark.size(), replacement(name, said));
    }
  }
  return text;
}

class CaseWithData : public testing::Test {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  SharedDirectory directory_{world_};

  /// @param text  contains "@name@" instead of each expression
  [[nodiscard]] Case read(std::string const& name, std::string const& text,
                          std::vector<std::string> const& overrides = {}) const {
    if (world_.is_root()) std::ofstream(directory_ / name) << text;
    world_.barrier();
    return read_case(world_, directory_ / name, overrides);
  }

  [[nodiscard]] Case with_expressions(std::string const& text, AllSaid const& all) const {
    return read("expressions.toml", filled(text, all, [](std::string const&, Said const& said) {
                  return '"' + said.expression + '"';
                }));
  }

  [[nodiscard]] Case with_files(std::string const& text, AllSaid const& all,
                                Grid const& grid) const {
    world_.barrier();  // no rank reads the previous file any more
    if (world_.is_root()) {
      DataFile file(directory_ / "data.h5");
      for (auto const& [name, said] : all) add(file, name, said, grid);
    }
    return read("files.toml", filled(text, all, [](std::string const& name, Said const&) {
                  return R"({ file = "data.h5", dataset = ")" + name + "\" }";
                }));
  }

  [[nodiscard]] static std::vector<double> solution(Case const& chosen) {
    LiveSolver solver(mpi::Communicator::world(), chosen, {});
    solver.advance_to(chosen.method.iterations, [] { return false; });
    auto const points = solver.run().plan.solver->subdomain.owned().point_count();
    HostValues values(chosen.problem.precision, static_cast<std::size_t>(points));
    solver.read(values.view());
    return std::visit(
        [](auto numbers) { return std::vector<double>(numbers.begin(), numbers.end()); },
        values.view());
  }

  void expect_same_bits(std::string const& text, AllSaid const& all) {
    Case const expressions = with_expressions(text, all);
    Case const files = with_files(text, all, expressions.problem.grid);
    EXPECT_GE(files.data.size(), all.size());  // one file may serve two faces
    EXPECT_EQ(solution(files), solution(expressions));
  }

  /// Returns the message for a file with one deviating value; "accepted" if there is none.
  std::string refusal(std::string const& text, std::vector<double> const& values) {
    world_.barrier();
    if (world_.is_root()) DataFile(directory_ / "data.h5").add("k", {7, 6}, values);
    try {
      (void)read("case.toml", text);
    } catch (InputError const& error) {
      std::string const said = error.what();
      std::string const start = (directory_ / "").string();
      EXPECT_TRUE(said.starts_with(start)) << said;
      return said.substr(start.size());
    }
    return "accepted";
  }
};

constexpr Face x_lower{0, false}, x_upper{0, true}, y_lower{1, false}, z_upper{2, true};

TEST_F(CaseWithData, SameBitsAsExpressionsIn2D) {
  expect_same_bits(R"toml(
[grid]
points = [17, 13]
[equation]
type = "poisson"
source = @source@
[boundary]
all = { type = "dirichlet", value = 0.0 }
x_lower = { type = "dirichlet", value = @left@ }
y_lower = { type = "neumann", value = @below@ }
[method]
name = "jacobi"
iterations = 30
check_every = 10
)toml",
                   {{"source", {"sin(3*x)*exp(y)", {}, Stored::in_chunks}},
                    {"left", {"cos(5*y)", x_lower}},
                    {"below", {"x^2 - 0.1", y_lower}}});
}

constexpr std::string_view cube_case = R"toml(
[grid]
points = [9, 7, 11]
[equation]
type = "poisson"
source = @source@
conductivity = @k@
[boundary]
all = { type = "dirichlet", value = 0.0 }
[method]
name = "jacobi"
iterations = 20
check_every = 10
)toml";

TEST_F(CaseWithData, ArraysInBothOrdersGiveTheSameBitsAsExpressions) {
  AllSaid const all{{"source", {"1 + x + 3*y + 7*z"}}, {"k", {"2 + x*y*z"}}};
  Case const expressions = with_expressions(std::string(cube_case), all);
  Grid const grid = expressions.problem.grid;
  Extent3 const n = grid.points;
  auto const values = [&](std::string const& text) {
    return values_on<double>(grid, grid.box(), function_of_text(text));
  };
  world_.barrier();
  if (world_.is_root()) {
    std::vector<double> const k = values(all.at("k").expression);
    std::vector<double> fortran;
    for (std::int64_t x = 0; x < n.x; ++x) {
      for (std::int64_t y = 0; y < n.y; ++y) {
        for (std::int64_t z = 0; z < n.z; ++z) {
          fortran.push_back(k[static_cast<std::size_t>(x + n.x * (y + n.y * z))]);
        }
      }
    }
    std::string const source = bytes_of(values(all.at("source").expression));
    written(directory_ / "source.npz", npz({{"q.npy", npy("<f8", "(11, 7, 9)", source), true}}));
    written(directory_ / "k.npy", npy("<f8", "(11, 7, 9)", bytes_of(fortran), true));
  }
  Case const files = read(
      "arrays.toml", filled(std::string(cube_case), all, [](std::string const& name, Said const&) {
        return name == "k" ? R"({ file = "k.npy" })" : R"({ file = "source.npz" })";
      }));
  EXPECT_EQ(solution(files), solution(expressions));
}

constexpr std::string_view medium_case = R"toml(
[grid]
shapes = "points"
points = [9, 8, 11]
z = { stretch = "tanh", strength = 1.5 }
[equation]
type = "diffusion"
conductivity = [@kx@, "1 + 0.1*y", @kz@]
capacity = @c@
source = @source@
[[material]]
where = @copper@
conductivity = @k@
[[fixed]]
where = @wire@
value = @volts@
[[insulated]]
where = @hole@
[boundary]
all = { type = "dirichlet", value = 1.0 }
z = { type = "robin", coefficient = @h@, value = "x" }
x = { type = "periodic" }
[[boundary.patch]]
face = "z_upper"
where = @lid@
type = "neumann"
value = @flux@
[initial]
value = @u@
[method]
)toml";

AllSaid const medium_data{
    {"kx", {"2 + sin(6.283185307179586*x)"}},
    {"kz", {"1 + x*y + z", {}, Stored::in_chunks}},
    {"c", {"1 + z^2"}},
    {"source", {"10*x*y*z"}},
    {"copper", {"z < 0.3", {}, Stored::as_bytes}},
    // Not positive at points where it is not used.
    {"k", {"z < 0.3 ? floor(20*x) + 1 : -1", {}, Stored::as_float32}},
    {"wire", {"hypot(x - 0.4, y - 0.5) < 0.2 && z > 0.5", {}, Stored::as_truths}},
    {"volts", {"3 + y"}},
    {"hole", {"x > 0.7 && y > 0.6"}},
    {"h", {"1 + x", z_upper}},
    {"lid", {"x < 0.5", z_upper}},
    {"flux", {"y - x", z_upper}},
    {"u", {"x*(1 - x)"}},
};

TEST_F(CaseWithData, SameBitsAsExpressionsInHeterogeneousMedia) {
  std::string const text(medium_case);
  expect_same_bits(text + "name = \"ftcs\"\nsteps = 5\n", medium_data);
  expect_same_bits(text + "name = \"crank_nicolson\"\nsteps = 2\ntime_step = 0.01\n", medium_data);
}

TEST_F(CaseWithData, SameBitsAsExpressionsInFloat32) {
  expect_same_bits(with(medium_case, "[grid]", "[grid]\nprecision = \"float32\"") +
                       "name = \"ftcs\"\nsteps = 5\n",
                   medium_data);
}

constexpr std::string_view plate_case = R"toml([grid]
points = [6, 7]
[equation]
type = "poisson"
conductivity = { file = "data.h5", dataset = "k" }
[boundary]
all = { type = "dirichlet" }
[method]
tolerance = 1e-6
)toml";

std::vector<double> ones_but(std::size_t place, double value) {
  std::vector<double> values(42, 1.0);
  values[place] = value;
  return values;
}

TEST_F(CaseWithData, RefusalNamesTheInvalidValue) {
  std::string const start =
      "case.toml:5: [equation] conductivity: " + (directory_ / "data.h5").string() +
      ", dataset \"k\", is ";
  std::string const plate(plate_case);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(plate, ones_but(0, 1.0)), "accepted");
  EXPECT_EQ(refusal(plate, ones_but(6 * 3 + 2, nan)),
            start +
                "not a number (nan) at [3, 2], that is at x = 0.4, y = 0.5 (needs finite values in "
                "float64)");
  EXPECT_EQ(refusal(plate, ones_but(41, -2.0)),
            start + "-2 at [6, 5], that is at x = 1, y = 1 (needs values above 0 everywhere)");
  EXPECT_EQ(refusal(plate, ones_but(6, 0.0)),
            start +
                "0 at [1, 0], that is at x = 0, y = 0.16666666666666666 (needs values above 0 "
                "everywhere)");
  EXPECT_EQ(refusal(with(plate, "[6, 7]", "[6, 7]\nprecision = \"float32\""), ones_but(1, 1e39))
                .substr(("case.toml:6" + start.substr(11)).size()),
            "1e+39 at [0, 1], that is at x = 0.2, y = 0 (needs finite values in float32)");
}

TEST_F(CaseWithData, UnusedValuesMayBeInvalid) {
  std::string const with_layer = with(plate_case, "[boundary]",
                                      "[[material]]\nbox = { lower = [0, 0], upper = [1, 0.1] }\n"
                                      "conductivity = 2.0\n[boundary]");
  double const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(with_layer, ones_but(3, nan)), "accepted");
  EXPECT_NE(refusal(with_layer, ones_but(6, nan)), "accepted");
  std::string const source =
      with(with(plate_case, "conductivity", "source"), "[method]", "[method]\nname = \"jacobi\"");
  EXPECT_NE(refusal(with(source, "tolerance = 1e-6", "iterations = 1"), ones_but(10, nan)),
            "accepted");
  EXPECT_EQ(refusal(with(source, "tolerance = 1e-6", "iterations = 1"), ones_but(11, nan)),
            "accepted");  // the point lies on a Dirichlet face
}

TEST_F(CaseWithData, RefusesEmptyMasks) {
  std::string const hole = with(with(plate_case, "conductivity = { file", "# {"), "[boundary]",
                                "[[insulated]]\nwhere = { file = \"data.h5\", dataset = \"k\" }\n"
                                "[boundary]");
  EXPECT_EQ(refusal(hole, ones_but(20, 0.0)), "accepted");
  EXPECT_EQ(refusal(hole, std::vector<double>(42, 0.0)),
            "case.toml:7: [insulated] where is nonzero at none of the grid's points (a region "
            "consists of the points whose value is not 0)");
}

/// A run can resume if the values are the same, wherever the file is.
TEST_F(CaseWithData, FingerprintDependsOnValuesOnly) {
  auto const fingerprint = [&](std::vector<double> const& values, std::string const& name) {
    world_.barrier();
    if (world_.is_root()) DataFile(directory_ / name).add("k", {7, 6}, values);
    return read("case.toml", with(plate_case, "data.h5", name)).fingerprint;
  };
  std::string const first = fingerprint(ones_but(3, 2.0), "data.h5");
  EXPECT_EQ(fingerprint(ones_but(3, 2.0), "other.h5"), first);
  auto const differences = fingerprint_differences(fingerprint(ones_but(4, 2.0), "data.h5"), first);
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_TRUE(differences[0].starts_with("[equation] conductivity is \"data, digest "))
      << differences[0];
}

/// Its points are not read again for the time step either, which differs here.
TEST_F(CaseWithData, CanBeParsedLikeAnotherWithoutFiles) {
  std::string const text =
      with(medium_case, "\n[method]\n", "\n[method]\nname = \"ftcs\"\nsteps = 2\n");
  Case const expressions = with_expressions(text, medium_data);
  Case const files = with_files(text, medium_data, expressions.problem.grid);
  world_.barrier();
  if (world_.is_root()) std::filesystem::remove(directory_ / "data.h5");
  world_.barrier();

  Case const like = parse_case_like(files, files.text, "case.toml");
  Case const shorter =
      parse_case_like(files, files.text, "case.toml",
                      {"method.time_step=\"stable\"", "method.stable_fraction=0.5"});

  EXPECT_EQ(like.fingerprint, files.fingerprint);
  EXPECT_EQ(shorter.method.longest_step_s, files.method.longest_step_s);
  EXPECT_EQ(shorter.method.time_step_s, 0.5 * files.method.longest_step_s);
  EXPECT_THROW((void)parse_case(files.text, "case.toml"), InputError);
}

TEST_F(CaseWithData, StoredTextHasAbsolutePaths) {
  std::string const text =
      with(medium_case, "\n[method]\n", "\n[method]\nname = \"ftcs\"\nsteps = 2\n");
  Case const expressions = with_expressions(text, medium_data);
  Case const files = with_files(text, medium_data, expressions.problem.grid);
  EXPECT_EQ(files.text.find("file = \"data.h5\""), std::string::npos) << files.text;
  Case const again = read("again.toml", files.text);
  EXPECT_TRUE(fingerprint_differences(again.fingerprint, files.fingerprint).empty());
}

}  // namespace
}  // namespace isotherm::test
