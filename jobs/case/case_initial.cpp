#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case_parts.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Coordinates beyond the grid's last point, where a periodic axis closes, belong to it.
void require_overlap(CaseSection const& section, Grid const& grid, PerAxis<double> lower,
                     PerAxis<double> upper) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (lower[axis] >= upper[axis]) {
      section.fail("upper", "is " + shortest(upper[axis]) + " " + on_axis(axis) +
                                " (needs more than lower, " + shortest(lower[axis]) + ')');
    }
    if (lower[axis] > grid.upper(axis) || upper[axis] < grid.lower[axis]) {
      section.fail("lower", "and upper lie outside of the grid " + on_axis(axis) +
                                " (which reaches from " + shortest(grid.lower[axis]) + " to " +
                                shortest(grid.upper(axis)) + ')');
    }
  }
}

void require_finite_number(CaseSection const& section, std::string const& key, double value,
                           Problem const& problem) {
  require_finite(section, key, value, problem, {{0, 0, 0}, {1, 1, 1}});
}

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

Gaussian read_gaussian(CaseSection const& section, Problem const& problem) {
  Gaussian gaussian;
  gaussian.center = section.place("center", problem.grid.dimension);
  gaussian.width = section.positive("width");
  section.require_key("height", "a number");
  gaussian.height = section.number("height", 0.0);
  require_finite_number(section, "height", gaussian.height, problem);
  return gaussian;
}

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

InitialFile read_initial_file(CaseSection const& section) {
  InitialFile file{section.text("file"), section.text("dataset", ""), read_resample(section)};
  if (file.path.extension() != snapshot_ending) {
    section.require_key("dataset", R"(the dataset of file, as in dataset = "/u"; only )"
                                   R"(isotherm's own files, NAME.vtkhdf, do without)");
  }
  for (char const* key : {"value", "box", "gaussian"}) {
    section.refuse(key, "has no effect beside file, which gives every point (leave one out)");
  }
  return file;
}

}  // namespace

std::optional<InitialFile> read_initial(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("initial");
  if (section.has("file")) {
    return read_initial_file(section);
  }
  section.refuse("dataset", R"(needs file beside it, as in file = "u.h5")");
  section.refuse("resample", R"(needs file beside it, as in file = "u_000500.vtkhdf")");
  InitialState& initial = problem.initial;
  initial.value = section.function("value", 0.0, document.scope(problem, false));
  GlobalBox const points = points_off_dirichlet_faces(problem);
  require_finite(section, "value", initial.value, problem, points);
  require_lasting({{section, initial.value, {.points = points}}}, problem);
  for (CaseSection const& box : section.sections("box")) {
    initial.boxes.push_back(read_box(box, problem));
  }
  for (CaseSection const& gaussian : section.sections("gaussian")) {
    initial.gaussians.push_back(read_gaussian(gaussian, problem));
  }
  return std::nullopt;
}

}  // namespace isotherm
