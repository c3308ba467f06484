#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/case/case_section.hpp"
#include "jobs/case/expression_names.hpp"
#include "jobs/case/toml_document.hpp"
#include "jobs/case/wanted_values.hpp"

namespace isotherm {

/// "x", "y" or "z".
inline std::string axis_name(int axis) { return {"xyz"[axis]}; }
/// "on the x axis".
inline std::string on_axis(int axis) { return "on the " + axis_name(axis) + " axis"; }

/// A case's text, checked for known keys and types, and its name for messages.
struct CaseDocument {
  TomlTable root{};  ///< with numbers in place of texts that give them by constants
  std::string file{};
  TomlTable written{};  ///< as the file and overrides have it
  Constants constants{};
  /// The values that it has in files, as they come to be known.
  std::shared_ptr<std::vector<std::shared_ptr<DataField>>> data =
      std::make_shared<std::vector<std::shared_ptr<DataField>>>();

  /// That ftcs may take with a body, where ranks have looked for it together.
  std::optional<double> longest_step_s{};

  /// A case of the same problem, whose values in files are taken; null: they are looked for.
  Case const* like = nullptr;

  /// What functions may name, and where their files are. @param time  whether t is among it
  /// @param face  whose points their values belong to; none: the grid's
  [[nodiscard]] FunctionScope scope(Problem const& problem, bool time,
                                    std::optional<Face> face = std::nullopt) const {
    return {problem.grid.dimension,
            time,
            constants,
            file,
            data.get(),
            &problem.grid,
            face,
            like == nullptr ? nullptr : &like->data};
  }
  [[nodiscard]] CaseSection section(std::string const& name) const {
    return CaseSection::of(root, name, file);
  }
};

/// Whether a coordinate lies on the grid, where a periodic axis closes included, to within a
/// billionth of a gap.
bool is_inside(Grid const& grid, int axis, double coordinate);
/// "outside of the grid (which reaches from 0 to 1)".
std::string outside_of(Grid const& grid, int axis);

/// How many axes [grid] points has.
int read_dimension(CaseDocument const& document);

/// Equation, precision and diffusivity; what the other sections are read with.
void read_equation(CaseDocument const& document, Problem& problem);

/// The conditions of all faces, and which axes are periodic. Needs dimension and equation.
void read_boundary(CaseDocument const& document, Problem& problem);

/// The grid. Needs dimension and periodic axes.
void read_grid(CaseDocument const& document, Problem& problem);

/// Looks at the files that conditions of faces name. Needs the grid.
void settle_boundary_data(CaseDocument const& document, Problem& problem);

/// What the grid is filled with: conductivity, capacity, [[material]], [[fixed]], [[insulated]].
/// Needs the grid.
void read_body(CaseDocument const& document, Problem& problem);

/// The conditions of parts of faces. Needs the grid and the faces' own.
void read_patches(CaseDocument const& document, Problem& problem);

/// Refuses a steady problem whose solution is known up to a constant where the method cannot solve
/// it. Needs faces, patches and body.
void check_uniqueness(CaseDocument const& document, Problem const& problem);

/// Refuses boundary values that are not finite, and coefficients below 0. Needs the patches.
void check_boundary_values(CaseDocument const& document, Problem const& problem);

/// The source term. Needs the equation and the grid.
void read_source(CaseDocument const& document, Problem& problem);

/// The initial state: in the problem, or in a file. Needs the grid.
std::optional<InitialFile> read_initial(CaseDocument const& document, Problem& problem);

/// Whether the method's steps are limited by what every point of a body has. Needs the body.
bool has_limited_steps(CaseDocument const& document, Problem const& problem);

/// The method, with the time step resolved; read_times() lays out the steps.
MethodSettings read_method(CaseDocument const& document, Problem const& problem);

/// The times of [output] that steps have to end at; lays out the steps. Needs the method.
void read_times(CaseDocument const& document, MethodSettings& method);

OutputSettings read_output(CaseDocument const& document, Problem const& problem,
                           std::string const& title);
CheckpointSettings read_checkpoint(CaseDocument const& document);
RunSettings read_run(CaseDocument const& document, Grid const& grid);

/// What is measured while the case runs. Needs the grid, the boundary and fixed regions.
std::vector<Probe> read_probes(CaseDocument const& document, Problem const& problem);

/// The points at which initial values and the source are looked at: those on Dirichlet faces have
/// the face's value instead.
GlobalBox points_off_dirichlet_faces(Problem const& problem);

/// "x = 0.5, y = 0, z = 1".
std::string at_point(double x, double y, double z, int dimension);

using LookAt = std::function<void(double x, double y, double z)>;
/// Calls `look` with the coordinates of some of the points of a box, its corners among them.
void look_at_sample(Grid const& grid, GlobalBox const& box, LookAt const& look);

/// Refuses values of a function that are not finite in the problem's precision, or out of a range,
/// at a sample of points, at time 0. A number has to be in that range wherever it counts. Values in
/// a file are all looked at, when the case is known to make sense but for them.
void require_values(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem,
                    WantedValues const& wanted);

/// The same of values that have to be finite, at a sample of the points of `box`.
void require_finite(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem, GlobalBox const& box);

/// Values that a case gives under the key `value` of a section.
struct GivenValues {
  CaseSection section;
  ScalarFunction const& function;
  WantedValues wanted;
};

/// Refuses values that are not all 0, but too small to have all digits in the problem's precision
/// wherever they are given. Values that are large at some points may fade to nothing at others.
/// What varies in time may grow. A number that is too small is refused by require_values().
void require_lasting(std::vector<GivenValues> const& all, Problem const& problem);

/// See Case::fingerprint.
std::string fingerprint_of(Case const& chosen);

}  // namespace isotherm
