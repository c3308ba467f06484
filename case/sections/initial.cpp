#include <cstdint>
#include <limits>
#include <random>

#include "case/basics/random_sample.hpp"
#include "case/basics/text/wording.hpp"
#include "case/data/value_file.hpp"
#include "case/sections/parts.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Requires lower < upper, and that a box of the initial condition intersects the grid. On a
/// periodic axis, the grid extends beyond its last point to where the axis closes.
void require_overlap(CaseSection const& section, Grid const& grid, PerAxis<double> lower,
                     PerAxis<double> upper) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (lower[axis] >= upper[axis]) {
      section.fail("upper", "is " + shortest(upper[axis]) + " " + on_axis(axis) +
                                " (needs more than lower, " + shortest(lower[axis]) + ')');
    }
    if (lower[axis] > grid.upper(axis) || upper[axis] < grid.lower[axis]) {
      section.fail("lower", "and upper lie outside the grid " + on_axis(axis) +
                                " (which extends from " + six_digits(grid.lower[axis]) + " to " +
                                six_digits(grid.upper(axis)) + ')');
    }
  }
}

/// Requires that a number is finite in the problem's precision. One point represents all, since the
/// number does not depend on place.
void require_finite_number(CaseSection const& section, std::string const& key, double value,
                           Problem const& problem) {
  require_finite(section, key, value, problem, {{0, 0, 0}, {1, 1, 1}});
}

/// Reads an [[initial.box]]: a box in which the field has a constant value.
///
///     [[initial.box]]
///     lower = [0.25, 0.25]
///     upper = [0.75, 0.75]
///     value = 1.0
InitialBox read_box(CaseSection const& section, Problem const& problem) {
  InitialBox box;
  box.lower = section.place("lower", problem.grid.dimension);
  box.upper = section.place("upper", problem.grid.dimension);
  require_overlap(section, problem.grid, box.lower, box.upper);
  section.require_key("value", "a number");
  box.value = section.number("value", 0.0);
  require_finite_number(section, "value", box.value, problem);
  return box;
}

/// Maximum number of random Gaussians in one case.
constexpr std::size_t max_random_gaussians = 1'000'000;

/// Appends `count` copies of `shape` at random places of the grid's box. The centers are the rows
/// of NumPy's `RandomState(seed).uniform(lower, upper, (count, dimension))`.
/// @param drawn  the number of random Gaussians of the case before this section
void add_random_gaussians(CaseSection const& section, Gaussian shape, std::size_t drawn,
                          Problem& problem) {
  section.refuse(
      "center", "conflicts with count, which places the centers at random (leave one of them out)");
  auto const count = static_cast<std::size_t>(section.whole("count", 1, 1));
  if (count > max_random_gaussians - drawn) {
    section.fail("count", "creates more than " + std::to_string(max_random_gaussians) +
                              " Gaussians at random positions (choose a smaller number)");
  }
  section.require_key("seed", "the seed of the random positions, a whole number, as in seed = 1");
  std::int64_t const seed = section.whole("seed", 0, 0);
  if (seed > std::numeric_limits<std::uint32_t>::max()) {
    section.fail("seed", "is " + std::to_string(seed) + " (at most 4294967295)");
  }
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  Grid const& grid = problem.grid;
  for (std::size_t n = 0; n < count; ++n) {
    for (int axis = 0; axis < grid.dimension; ++axis) {
      shape.center[axis] =
          grid.lower[axis] + (grid.upper(axis) - grid.lower[axis]) * random_sample(generator);
    }
    problem.initial.gaussians.push_back(shape);
  }
}

/// Reads width and height of a Gaussian, or of all Gaussians that a table draws.
Gaussian read_shape(CaseSection const& section, Problem const& problem) {
  Gaussian gaussian;
  gaussian.width = section.positive("width");
  section.require_key("height", "a number");
  gaussian.height = section.number("height", 0.0);
  require_finite_number(section, "height", gaussian.height, problem);
  return gaussian;
}

/// Reads all [[initial.gaussian]] tables: single Gaussians, and sets at random places.
///
///     [[initial.gaussian]]          # a single one
///     center = [0.15, 0.15]
///     width  = 0.05
///     height = 0.5
///
///     [[initial.gaussian]]          # 500 at random places
///     count  = 500
///     seed   = 1
///     width  = 0.05
///     height = 0.5
void read_gaussians(CaseSection const& initial, Problem& problem) {
  std::size_t drawn = 0;
  for (CaseSection const& section : initial.sections("gaussian")) {
    std::size_t const before = problem.initial.gaussians.size();
    if (section.has("count")) {
      add_random_gaussians(section, read_shape(section, problem), drawn, problem);
      drawn += problem.initial.gaussians.size() - before;
      continue;
    }
    section.refuse("seed", "needs the key count, the number of Gaussians at random positions");
    PerAxis<double> const center = section.place("center", problem.grid.dimension);
    Gaussian gaussian = read_shape(section, problem);
    gaussian.center = center;
    problem.initial.gaussians.push_back(gaussian);
  }
}

/// Reads `resample`: true means linear interpolation, a text names the interpolation.
std::optional<Curve> read_resample(CaseSection const& section) {
  if (!section.has("resample")) return std::nullopt;
  if (section.is_flag("resample")) {
    return section.flag("resample", false) ? std::optional(Curve::linear) : std::nullopt;
  }
  std::string const wanted = section.text("resample");
  return wanted == name(Curve::spline)  ? Curve::spline
         : wanted == name(Curve::cubic) ? Curve::cubic
                                        : Curve::linear;
}

/// Reads an initial condition from a file. Other programs' HDF5 files need the name of a dataset.
/// Files are not opened here. The run reads them on all ranks in parallel.
InitialFile read_initial_file(CaseSection const& section) {
  InitialFile file{section.text("file"), section.text("dataset", ""), read_resample(section)};
  if (!needs_dataset(file.path)) {
    section.fail("file",
                 "is not an HDF5 file (write value = { file = " + in_quotes(file.path.string()) +
                     " } if it has a value for each point of the grid)");
  }
  if (file.path.extension() != snapshot_ending) {
    section.require_key(
        "dataset",
        R"(the name of a dataset in the file, as in dataset = "/u"; only isotherm's own files, NAME.vtkhdf, do not need it)");
  }
  for (char const* key : {"value", "box", "gaussian"}) {
    section.refuse(
        key, "conflicts with file, which sets the value at every point (leave one of them out)");
  }
  return file;
}

}  // namespace

// The field is `value`, overwritten by the boxes in their order, plus the sum of the Gaussians. It
// may also come from a file:
//
//     [initial]
//     file     = "u.h5"
//     dataset  = "/u"
//     resample = "cubic"          # or "linear", "spline", true (linear)
std::optional<InitialFile> read_initial(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("initial");
  if (section.has("file")) {
    return read_initial_file(section);
  }
  section.refuse("dataset", R"(needs the key file, as in file = "u.h5")");
  section.refuse("resample", R"(needs the key file, as in file = "u_000500.vtkhdf")");
  InitialState& initial = problem.initial;
  initial.value = section.function("value", 0.0, document.scope(problem, false));
  GlobalBox const points = points_off_dirichlet_faces(problem);
  require_finite(section, "value", initial.value, problem, points);
  require_lasting({{section, initial.value, {.points = points}}}, problem);
  for (CaseSection const& box : section.sections("box")) {
    initial.boxes.push_back(read_box(box, problem));
  }
  read_gaussians(section, problem);
  return std::nullopt;
}

}  // namespace isotherm
