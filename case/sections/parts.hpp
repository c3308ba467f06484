#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "case/data/wanted_values.hpp"
#include "case/expressions/expression_names.hpp"
#include "case/sections/section.hpp"
#include "case/toml/toml_document.hpp"
#include "solver/direct/time_model.hpp"

// The readers of a case's sections, and the checks that they share.
//
// Each reader fills one part of the Problem, or returns one part of the Case. The order matters: a
// comment "Needs …" names the parts that must be read before. `case.cpp` calls them in that order.
//
// All readers throw InputError if a value is invalid. The message names file, line and key. None of
// them is collective.

namespace isotherm {

/// Returns the name of an axis: "x", "y" or "z". @pre  0 <= axis <= 2
inline std::string axis_name(int axis) { return {"xyz"[axis]}; }
/// Returns "on the x axis", for messages.
inline std::string on_axis(int axis) { return "on the " + axis_name(axis) + " axis"; }

/// A parsed case file: its keys and types are checked, but its values are not interpreted yet.
struct CaseDocument {
  /// The document with constants evaluated: numbers stand in place of their texts.
  TomlTable root{};
  /// The name of the case file, for messages and as base of relative paths.
  std::string file{};
  /// The document as the file and the overrides have it.
  TomlTable written{};
  /// The evaluated section [constants].
  Constants constants{};
  /// See Case::displaced.
  std::vector<std::string> displaced{};
  /// The values in files, appended in the order in which the readers find them.
  std::shared_ptr<std::vector<std::shared_ptr<DataField>>> data =
      std::make_shared<std::vector<std::shared_ptr<DataField>>>();

  /// The number of ranks that share the grid's memory; 0: unknown.
  int ranks = 0;

  /// Longest stable time step of ftcs in a heterogeneous medium, if the ranks have computed it
  /// together.
  std::optional<double> longest_step_s{};

  /// True if all ranks compute on devices.
  bool uses_devices = false;
  /// The ranks that share the grid, for the choice between direct solutions and multigrid.
  RanksOnHosts ranks_on_hosts{};

  /// A case of the same problem, whose values in files are reused. Null: files are opened.
  Case const* like = nullptr;

  /// Returns which names functions of this case may use, and where their files are.
  /// @param time  whether a function may depend on t
  /// @param face  the face to whose points values in files belong; none: the points of the grid
  [[nodiscard]] FunctionScope scope(Problem const& problem, bool time,
                                    std::optional<Face> face = std::nullopt) const {
    return {problem.grid.dimension,
            time,
            false,
            constants,
            file,
            data.get(),
            &problem.grid,
            face,
            like == nullptr ? nullptr : &like->data};
  }
  /// Returns the scope of functions that may name u, the value of the field, or else t in
  /// diffusion.
  [[nodiscard]] FunctionScope scope_of_field(Problem const& problem,
                                             std::optional<Face> face = std::nullopt) const {
    FunctionScope result = scope(problem, problem.equation == Equation::diffusion, face);
    result.field = true;
    return result;
  }
  /// Returns a section; one without keys if the case does not have it.
  [[nodiscard]] CaseSection section(std::string const& name) const {
    return CaseSection::of(root, name, file);
  }
};

/// Returns whether a coordinate lies on the grid, with a tolerance of a billionth of the gap at
/// that end. A periodic axis includes the end where it closes.
bool is_inside(Grid const& grid, int axis, double coordinate);
/// Returns "outside the grid (which extends from 0 to 1)", for messages.
std::string outside_of(Grid const& grid, int axis);

/// Reads a place, which must lie on the grid; see is_inside().
PerAxis<double> read_place(CaseSection const& section, std::string const& key, Grid const& grid);

/// Returns the number of axes of the grid, 2 or 3: the entries of [grid] points or spacing, or the
/// number of axes with listed coordinates.
int read_dimension(CaseDocument const& document);

/// Reads equation, precision and diffusivity. All other sections depend on them.
void read_equation(CaseDocument const& document, Problem& problem);

/// Reads the conditions of all faces, and thereby which axes are periodic. Needs dimension and
/// equation.
void read_boundary(CaseDocument const& document, Problem& problem);

/// What the keys of radiation of a face or a surface say.
struct Radiation {
  double factor = 0.0;         ///< ε σ
  double absolute_zero = 0.0;  ///< the value of u at the absolute zero of temperature
  std::string text{};          ///< for the fingerprint
};
/// Reads emissivity, absolute_zero and stefan_boltzmann of radiation to an ambient temperature.
Radiation read_radiation(CaseSection const& section, ScalarFunction const& ambient);

/// Reads the grid: points, extent and graded axes. Needs dimension and periodic axes.
void read_grid(CaseDocument const& document, Problem& problem);
/// Refuses a grid if one rank's share of it cannot fit into the memory of its host. To be called
/// before work that grows with the number of points. If the number of ranks is unknown, no grid is
/// refused.
///
/// The bound is coarse: two float32 fields, the minimum for any solver. A later check compares the
/// exact demand with the memory.
void require_holdable(CaseDocument const& document, Grid const& grid);

/// Opens the files that boundary conditions name. Needs the grid.
void settle_boundary_data(CaseDocument const& document, Problem& problem);

/// Reads the medium: conductivity, capacity, [[material]], [[fixed]] and [[insulated]]. Needs the
/// grid.
void read_medium(CaseDocument const& document, Problem& problem);

/// Reads [[boundary.patch]], the conditions of parts of faces. Needs the grid and the conditions of
/// the faces.
void read_patches(CaseDocument const& document, Problem& problem);

/// Refuses a mean gradient along a periodic axis together with anything that does not repeat itself
/// from period to period. Needs faces, patches, medium and source.
void check_gradients(CaseDocument const& document, Problem const& problem);

/// Refuses a steady problem whose operator has a null space (the solution is unique up to a
/// constant only) if the method cannot handle it. Needs faces, patches and medium.
void check_uniqueness(CaseDocument const& document, Problem const& problem);

/// Refuses boundary values that are not finite, and negative Robin coefficients. Needs the patches.
void check_boundary_values(CaseDocument const& document, Problem const& problem);

/// Reads [[source]]: the source terms of regions and places. Needs the grid, the boundary
/// conditions and the medium, which determine the points that can be heated.
std::vector<SourceTerm> read_sources(CaseDocument const& document, Problem const& problem);

/// Reads the source term. Needs what read_sources() needs.
void read_source(CaseDocument const& document, Problem& problem);

/// Reads the initial condition, into the problem or as the name of a file. Needs the grid.
std::optional<InitialFile> read_initial(CaseDocument const& document, Problem& problem);

/// Returns whether the longest stable time step depends on all points of a heterogeneous medium, as
/// for ftcs. Needs the medium.
bool has_limited_steps(CaseDocument const& document, Problem const& problem);

/// Reads the method and resolves the time step. Call read_times() afterwards, which lays out the
/// steps.
MethodSettings read_method(CaseDocument const& document, Problem const& problem);
/// Reads the time of the initial field; 0 if the case has none.
double read_start_time(CaseDocument const& document);

/// Reads the output times, at which time steps have to end, and lays out the steps. Needs the
/// method.
void read_times(CaseDocument const& document, MethodSettings& method);

/// Shortens the default distance of checks if a tolerance is given and the run has few iterations,
/// so that not only the initial field is checked. Needs the steps that read_times() lays out.
void settle_checks(CaseDocument const& document, MethodSettings& method);

/// Reads [output].
/// @param title  names the directory if [output] does not
OutputSettings read_output(CaseDocument const& document, Problem const& problem,
                           std::string const& title);
/// Reads [checkpoint].
CheckpointSettings read_checkpoint(CaseDocument const& document);
/// Reads [run]. Needs the grid, for the bounds of `decomposition`.
RunSettings read_run(CaseDocument const& document, Grid const& grid);

/// Reads [[probe]] and [output] quantities. Needs the grid, the boundary conditions and the fixed
/// regions.
std::vector<Probe> read_probes(CaseDocument const& document, Problem const& problem);

/// Reads [method] stop, a criterion that ends the run. Needs the probes.
std::optional<StopCriterion> read_stop(CaseDocument const& document, Problem const& problem,
                                       MethodSettings const& method,
                                       std::vector<Probe> const& probes);

/// Returns the points at which initial values and the source matter: all except those on Dirichlet
/// faces, which have the face's value.
GlobalBox points_off_dirichlet_faces(Problem const& problem);

/// Returns the coordinates of a point for a message: "x = 0.5, y = 0, z = 1".
std::string at_point(double x, double y, double z, int dimension);

/// A function of coordinates that inspects one point.
using VisitPoint = std::function<void(double x, double y, double z)>;
/// Calls `look` for a sample of the points of a box: at most nine an axis, including the corners.
void visit_sample(Grid const& grid, GlobalBox const& box, VisitPoint const& look);

/// Refuses a function whose values are not finite in the problem's precision, or have a wrong sign.
///
/// Expressions are evaluated at a sample of the points, at t = 0; a constant must also be large
/// enough for the precision. Values in a file are only registered here: DataField::check() reads
/// all of them once the rest of the case is known to be valid.
void require_values(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem,
                    WantedValues const& wanted);

/// Refuses a function whose values are not finite, at a sample of the points of `box`.
void require_finite(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem, GlobalBox const& box);

/// Values that a case gives under the key `value` of a section, and the points at which they apply.
struct GivenValues {
  CaseSection section;
  ScalarFunction const& function;
  WantedValues wanted;
};

/// Refuses values that are nonzero, but so small that the problem's precision loses digits at every
/// point.
///
/// All given values are judged together: values that are large at some points may decay to nothing
/// at others. Values that vary in time are accepted, because they may grow. require_values()
/// refuses single numbers that are too small.
void require_lasting(std::vector<GivenValues> const& all, Problem const& problem);

/// Computes Case::fingerprint.
std::string fingerprint_of(Case const& chosen);

}  // namespace isotherm
