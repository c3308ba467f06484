#include <string_view>
#include <vector>

#include "case/sections/parts.hpp"
#include "solver/discretise/shapes/regional_source.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

/// Converts the type of the equation. The schema has restricted it to three words.
Equation equation_of(std::string const& type) {
  for (Equation const equation : {Equation::laplace, Equation::poisson}) {
    if (type == name(equation)) {
      return equation;
    }
  }
  return Equation::diffusion;
}

/// Refuses the diffusivity if conductivity, capacity or a material is given, because it is their
/// quotient.
void refuse_two_ways(CaseDocument const& document, CaseSection const& section) {
  char const* const other = section.has("conductivity")                 ? "conductivity"
                            : section.has("capacity")                   ? "capacity"
                            : document.root.find("material") != nullptr ? "[[material]]"
                                                                        : nullptr;
  if (other == nullptr) return;
  section.refuse("diffusivity", "conflicts with " + std::string(other) +
                                    " (leave it out: the diffusivity is conductivity / capacity)");
}

}  // namespace

// Laplace: ∇²u = 0. Poisson: -∇·(κ∇u) = source. Diffusion: c ∂u/∂t = ∇·(κ∇u) + source, with κ / c =
// diffusivity if the medium is homogeneous.
//
//     [equation]
//     type        = "diffusion"       # or "laplace", "poisson"
//     diffusivity = 1e-4              # or conductivity and capacity
void read_equation(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("equation");
  section.require_key("type", R"("laplace", "poisson" or "diffusion")");
  problem.equation = equation_of(section.text("type"));
  if (problem.equation != Equation::diffusion) {
    section.refuse("diffusivity", R"(applies only to type = "diffusion" (leave it out))");
  }
  refuse_two_ways(document, section);
  problem.diffusivity = section.positive("diffusivity", 1.0);
  std::string const precision = document.section("grid").text("precision", "float64");
  problem.precision = precision == "float32" ? Precision::float32 : Precision::float64;
}

/// Also reads `mean` and `compatible`, which apply only if the operator has a null space.
///
/// Insulated regions may enclose floating components even if the rest of the grid has a prescribed
/// value. In a steady case with insulated regions, `compatible` is therefore accepted.
void read_source(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("equation");
  if (problem.equation == Equation::laplace) {
    section.refuse("source", R"(does not belong to Laplace's equation (write type = "poisson"))");
  }
  bool const diffusion = problem.equation == Equation::diffusion;
  bool const is_unique = diffusion || has_given_values(problem);
  for (char const* const key : {"mean", "compatible"}) {
    bool const may_cut_off =
        !diffusion && key == std::string_view("compatible") && !problem.medium.insulated.empty();
    if (!is_unique || may_cut_off) continue;
    section.refuse(key,
                   "applies only to steady cases without dirichlet or robin faces and fixed "
                   "points, whose solution is unique only up to a constant (leave it out)");
  }
  problem.mean = section.number("mean", 0.0);
  problem.project = section.text("compatible", "refuse") == "project";
  // The source of the whole grid, then those of regions and places. Their sum is the source term.
  ScalarFunction const everywhere =
      section.function("source", 0.0, document.scope_of_field(problem));
  require_finite(section, "source", everywhere, problem, points_off_dirichlet_faces(problem));
  if (std::vector<double> const& rows = everywhere.breaks_in_u; !rows.empty()) {
    problem.medium.tables.push_back({"source", "", rows.front(), rows.back(), {}});
  }
  problem.source_terms = read_sources(document, problem);
  problem.source = sum_of(problem, everywhere, problem.source_terms);
}

}  // namespace isotherm
