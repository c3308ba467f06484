#include <cmath>
#include <sstream>

#include "jobs/case/case_parts.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

Equation equation_of(std::string const& type) {
  for (Equation const equation : {Equation::laplace, Equation::poisson}) {
    if (type == name(equation)) {
      return equation;
    }
  }
  return Equation::diffusion;
}

/// At most nine of the indices first … last: both ends and what lies evenly between.
std::vector<std::int64_t> sample(std::int64_t first, std::int64_t last) {
  constexpr std::int64_t parts = 8;
  std::vector<std::int64_t> indices;
  for (std::int64_t part = 0; part <= parts; ++part) {
    std::int64_t const length = last - first;
    std::int64_t const index = first + length / parts * part + length % parts * part / parts;
    if (indices.empty() || index != indices.back()) {
      indices.push_back(index);
    }
  }
  return indices;
}

bool is_finite(double value, Precision precision) {
  return std::isfinite(precision == Precision::float32 ? static_cast<float>(value) : value);
}

std::string at_point(double x, double y, double z, int dimension) {
  std::ostringstream text;
  text << "x = " << x << ", y = " << y;
  if (dimension == 3) {
    text << ", z = " << z;
  }
  return text.str();
}

}  // namespace

void read_equation(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("equation");
  section.require_key("type", R"("laplace", "poisson" or "diffusion")");
  problem.equation = equation_of(section.text("type"));
  if (problem.equation != Equation::diffusion) {
    section.refuse("diffusivity", R"(belongs to type = "diffusion" (leave it out))");
  }
  problem.diffusivity = section.positive("diffusivity", 1.0);
  std::string const precision = document.section("grid").text("precision", "float64");
  problem.precision = precision == "float32" ? Precision::float32 : Precision::float64;
}

void read_source(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("equation");
  if (problem.equation == Equation::laplace) {
    section.refuse("source", R"(has no place in Laplace's equation (write type = "poisson"))");
  }
  bool const diffusion = problem.equation == Equation::diffusion;
  if (diffusion || has_dirichlet_face(problem)) {
    for (char const* const key : {"mean", "compatible"}) {
      section.refuse(key,
                     "is for steady cases in which no face is dirichlet, whose solution is known "
                     "up to a constant (leave it out)");
    }
  }
  problem.mean = section.number("mean", 0.0);
  problem.project = section.text("compatible", "refuse") == "project";
  problem.source =
      section.function("source", 0.0, {problem.grid.dimension, diffusion, document.constants});
  require_finite(section, "source", problem.source, problem, points_off_dirichlet_faces(problem));
}

GlobalBox points_off_dirichlet_faces(Problem const& problem) {
  GlobalBox points = problem.grid.box();
  for (Face const face : faces(problem.grid)) {
    if (problem.boundary[face].kind == BoundaryKind::dirichlet) {
      (face.upper ? points.upper : points.lower)[face.axis] += face.upper ? -1 : 1;
    }
  }
  return points;
}

void require_finite(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem, GlobalBox const& box) {
  Grid const& grid = problem.grid;
  if (box.empty()) return;
  for (std::int64_t const k : sample(box.lower.z, box.upper.z - 1)) {
    for (std::int64_t const j : sample(box.lower.y, box.upper.y - 1)) {
      for (std::int64_t const i : sample(box.lower.x, box.upper.x - 1)) {
        double const x = grid.coordinate(0, i);
        double const y = grid.coordinate(1, j);
        double const z = grid.coordinate(2, k);
        if (!is_finite(function(x, y, z, 0.0), problem.precision)) {
          section.fail(key, "is not finite in " + std::string(name(problem.precision)) + " at " +
                                at_point(x, y, z, grid.dimension));
        }
      }
    }
  }
}

}  // namespace isotherm
