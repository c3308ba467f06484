#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "case/basics/text/digest.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/data/data_field.hpp"
#include "case/sections/parts.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/methods.hpp"

// The fingerprint identifies a problem: a run may resume from a snapshot only if both have the
// same. It is a JSON object of normalised values, one entry per key. Equal problems must yield
// equal texts, whatever way the case writes a number, names a constant or orders its keys. Long
// texts are replaced by digests, so the object remains small.
//
//     {"equation.type": "poisson", "grid.points": [65, 65], "method.name": "multigrid", ...}
//
// The key of an entry is that of the case file. Keys of newer features appear only if their value
// differs from the default, so files of older versions remain valid.
namespace isotherm {
namespace {

using nlohmann::json;

/// Returns the shortest decimal text of a number. Equal numbers have equal texts: -0.0 is written
/// as 0.
std::string text_of(double number) { return shortest(number == 0.0 ? 0.0 : number); }

/// Returns the text that identifies a function.
std::string value_text(ScalarFunction const& function) {
  return function.is_constant() ? text_of(function.constant) : function.text;
}

/// Returns the text that identifies a boundary condition: kind, Robin coefficient, value.
std::string condition_text(BoundaryCondition const& condition) {
  std::string text = condition.is_flux ? "flux" : name(condition.kind);
  if (condition.kind == BoundaryKind::periodic) {
    return condition.value.is_zero() ? text : text + ' ' + value_text(condition.value);
  }
  if (condition.kind == BoundaryKind::robin) text += ' ' + value_text(condition.coefficient);
  return text + ' ' + value_text(condition.value);
}

/// Returns the values for the axes that the grid has, as a JSON array.
template <class Axes>
json per_axis(Grid const& grid, Axes const& axes) {
  json values = json::array();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    values.push_back(axes[axis]);
  }
  return values;
}

/// Returns a digest of the coordinates of a graded axis.
std::string coordinates_text(Grid const& grid, int axis) {
  std::string all;
  for (double const coordinate : coordinates_of(grid, axis)) all += text_of(coordinate) + '\n';
  return "coordinates, digest " + digest(all);
}

/// Adds grid and precision. Numbers are stored as JSON numbers and compared by value, for example
/// {"grid.points": [65, 65], "grid.spacing": [0.015625, 0.015625], …}. Only graded axes have an
/// entry of their own, so files of older versions remain valid.
void add_grid(json& keys, Grid const& grid, Precision precision) {
  keys["grid.points"] = per_axis(grid, grid.points);
  keys["grid.lower"] = per_axis(grid, grid.lower);
  keys["grid.spacing"] = per_axis(grid, grid.spacing);
  keys["grid.precision"] = name(precision);
  if (grid.geometry != Geometry::cartesian) keys["grid.geometry"] = name(grid.geometry);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.is_graded(axis)) keys["grid." + axis_name(axis)] = coordinates_text(grid, axis);
  }
}

/// Adds equation, source, faces, and the keys for problems with a null space if they differ from
/// their defaults.
void add_equation(json& keys, Problem const& problem) {
  keys["equation.type"] = name(problem.equation);
  if (problem.equation == Equation::diffusion) {
    keys["equation.diffusivity"] = problem.diffusivity;
  }
  if (problem.equation != Equation::laplace) {
    keys["equation.source"] = value_text(problem.source);
  }
  if (!problem.reaction.is_zero()) {
    keys["equation.reaction"] = value_text(problem.reaction);
  }
  if (problem.mean != 0.0) keys["equation.mean"] = problem.mean;
  if (problem.project) keys["equation.compatible"] = "project";
  for (Face const face : faces(problem.grid)) {
    keys["boundary." + name(face)] = condition_text(problem.boundary[face]);
  }
}

/// Returns the three coordinates of a place, as part of a text to be hashed.
std::string listed(PerAxis<double> const& place) {
  return text_of(place[0]) + ' ' + text_of(place[1]) + ' ' + text_of(place[2]) + ' ';
}

/// Summarises a list that may have thousands of entries: their number and a digest.
std::string summary(std::size_t count, std::string const& all) {
  return std::to_string(count) + (count == 0 ? "" : ", digest " + digest(all));
}

/// Returns the text of a function, abbreviated with a digest if it is long. The function that many
/// materials compose may have a text of any length.
std::string short_text(ScalarFunction const& function) {
  constexpr std::size_t maximum = 400;
  std::string text = value_text(function);
  if (text.size() <= maximum) return text;
  return std::string(cut(text, maximum / 2)) + "..., digest " + digest(text);
}

/// Returns whether a function is the constant 1, the default of conductivity and capacity.
bool is_one(ScalarFunction const& function) {
  return function.is_constant() && function.constant == 1.0;
}

/// Returns the texts of an anisotropic property; a single text if all axes agree.
json along_axes(Grid const& grid, PerAxis<ScalarFunction> const& functions) {
  PerAxis<std::string> texts;
  for (int axis = 0; axis < 3; ++axis) texts[axis] = short_text(functions[axis]);
  bool const alike = texts[0] == texts[1] && (grid.dimension == 2 || texts[0] == texts[2]);
  return alike ? json(texts[0]) : per_axis(grid, texts);
}

/// Adds the medium. A homogeneous medium has no entries, as in files of versions before 0.3.
/// Regions are identified by their normalised texts, such as "box [0, 0] to [0.5, 1]". The way in
/// which the case wrote a number does not matter.
void add_medium(json& keys, Problem const& problem) {
  Medium const& medium = problem.medium;
  if (!std::ranges::all_of(medium.conductivity, is_one)) {
    keys["equation.conductivity"] = along_axes(problem.grid, medium.conductivity);
  }
  if (!is_one(medium.capacity)) keys["equation.capacity"] = short_text(medium.capacity);
  // Files of versions that knew regions as sets of points have no such entry.
  bool const shared_faces = std::ranges::any_of(problem.patches, [](BoundaryPatch const& patch) {
    return !patch.where.at_points && patch.condition.kind != BoundaryKind::dirichlet;
  });
  if (medium.layers || shared_faces) keys["grid.shapes"] = "exact";
  std::string all;
  // Each list of regions: its length, and a digest of the texts in the order of the case.
  for (FixedRegion const& fixed : medium.fixed) {
    all += fixed.where.text + ' ' + value_text(fixed.value);
    if (fixed.film_coefficient) all += " film " + text_of(*fixed.film_coefficient);
    for (SurfaceExchange const& one : fixed.exchanges) {
      all += " exchange " + value_text(one.ambient) + " by " +
             (one.radiates() ? one.coefficient.text : value_text(one.coefficient));
    }
    if (fixed.floating_flux) all += " floating " + text_of(*fixed.floating_flux);
    all += '\n';
  }
  if (!all.empty()) keys["fixed"] = summary(medium.fixed.size(), all);
  all.clear();
  for (Contact const& contact : medium.contacts) {
    all += std::to_string(contact.first) + ' ' + std::to_string(contact.second) + ' ' +
           text_of(contact.resistance) + '\n';
  }
  if (!all.empty()) keys["contact"] = summary(medium.contacts.size(), all);
  all.clear();
  for (Region const& region : medium.insulated) all += region.text + '\n';
  if (!all.empty()) keys["insulated"] = summary(medium.insulated.size(), all);
  all.clear();
  for (BoundaryPatch const& patch : problem.patches) {
    all += name(patch.face) + ' ' + patch.where.text + ' ' + condition_text(patch.condition) + '\n';
  }
  if (!all.empty()) keys["boundary.patch"] = summary(problem.patches.size(), all);
}

/// Adds the initial condition: its function, boxes and Gaussians.
void add_initial(json& keys, InitialState const& initial) {
  keys["initial.value"] = value_text(initial.value);
  std::string all;
  for (auto const& [lower, upper, value] : initial.boxes) {
    all += listed(lower) + listed(upper) + text_of(value) + '\n';
  }
  keys["initial.box"] = summary(initial.boxes.size(), all);
  all.clear();
  for (auto const& [center, width, height] : initial.gaussians) {
    all += listed(center) + text_of(width) + ' ' + text_of(height) + '\n';
  }
  keys["initial.gaussian"] = summary(initial.gaussians.size(), all);
}

/// Adds the initial condition from a file: its path, not its contents.
void add_initial(json& keys, InitialFile const& file) {
  keys["initial.file"] = file.path.string();
  if (!file.dataset.empty()) keys["initial.dataset"] = file.dataset;
  if (file.resample) keys["initial.resample"] = name(*file.resample);
}

/// Adds the method, and the time step if it advances time. Iteration counts and tolerances may
/// change on resume.
void add_method(json& keys, MethodSettings const& method) {
  keys["method.name"] = method.name;
  keys["method.norm"] = name(method.norm);  // since the first residual is stored in this norm
  if (method_named(method.name).advances_time) {
    keys["method.time_step"] = method.time_step_s;
    if (method.start_time_s != 0.0) keys["method.start_time"] = method.start_time_s;
    for (StepsUntil const& part : method.step_parts) {
      keys["method.time_steps"].push_back({part.until_s, part.step_s});
    }
  }
}

/// Replaces the placeholders mark_of() in a text by digests of the values. The path of a file is
/// not part of the fingerprint, because files may be moved. The loop ends early if no placeholder
/// is left, since most texts contain none.
void write_digests(std::string& text, DataFields const& data) {
  for (std::size_t i = 0; i < data.size() && text.find('{') != std::string::npos; ++i) {
    std::string const mark = mark_of(i);
    auto const sum = data[i]->checksum();
    std::string const said = sum ? "data, digest " + hexadecimal(*sum) : "data that was not read";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.replace(at, mark.size(), said);
    }
  }
}

/// Returns a copy of the problem with such digests in all texts.
Problem with_digests(Problem problem, DataFields const& data) {
  if (data.empty()) return problem;
  auto const write = [&](BoundaryCondition& condition) {
    write_digests(condition.value.text, data);
    write_digests(condition.coefficient.text, data);
  };
  for (BoundaryCondition& condition : problem.boundary) write(condition);
  for (BoundaryPatch& patch : problem.patches) {
    write_digests(patch.where.text, data);
    write(patch.condition);
  }
  Medium& medium = problem.medium;
  for (FixedRegion& fixed : medium.fixed) {
    write_digests(fixed.where.text, data);
    write_digests(fixed.value.text, data);
    for (SurfaceExchange& one : fixed.exchanges) write_digests(one.ambient.text, data);
  }
  for (Region& region : medium.insulated) write_digests(region.text, data);
  for (ScalarFunction& along : medium.conductivity) write_digests(along.text, data);
  for (ScalarFunction* const function :
       {&medium.capacity, &problem.source, &problem.initial.value}) {
    write_digests(function->text, data);
  }
  return problem;
}

/// Converts a fingerprint's key for messages: "grid.points" to "[grid] points", "fixed" to
/// "[[fixed]]".
std::string as_key(std::string const& flat) {
  auto const dot = flat.find('.');
  return dot == std::string::npos ? "[[" + flat + "]]"
                                  : '[' + flat.substr(0, dot) + "] " + flat.substr(dot + 1);
}

/// Returns whether two paths may name the same file: if they are equal, or if the absolute one ends
/// with the relative one. The case.toml in a run's directory has absolute paths, whereas the user's
/// case may have a relative one. For example, "/home/me/case/u.h5" and "u.h5" may be the same file.
/// A resumed run does not read the initial file again.
bool may_be_one_file(std::filesystem::path const& a, std::filesystem::path const& b) {
  auto const absolute = (a.is_absolute() ? a : b).lexically_normal();
  auto const other = (a.is_absolute() ? b : a).lexically_normal();
  if (absolute.is_absolute() == other.is_absolute()) {
    return absolute == other;
  }
  // Compares the components from the end of both paths.
  auto to = absolute.end();
  for (auto from = other.end(); from != other.begin();) {
    --from;
    if (*from == "..") {  // the directory is unknown without the file system
      return true;
    }
    if (to == absolute.begin() || *--to != *from) {
      return false;
    }
  }
  return true;
}

/// Normalises "-0", which files of version 0.1 contain for -0.0.
std::string without_signed_zero(std::string text) {
  if (text == "-0" || text.ends_with(" -0")) text.erase(text.size() - 2, 1);
  return text;
}

/// Returns whether two values of a key agree, with allowances for paths and for older files.
bool agree(std::string const& key, json const& mine, json const& theirs) {
  if (key == "initial.file" && mine.is_string() && theirs.is_string()) {
    return may_be_one_file(mine.get<std::string>(), theirs.get<std::string>());
  }
  if (mine.is_string() && theirs.is_string()) {
    return without_signed_zero(mine.get<std::string>()) ==
           without_signed_zero(theirs.get<std::string>());
  }
  return mine == theirs;  // numbers by their value
}

/// Returns a value of a fingerprint for a message, limited in length, since a file may contain
/// anything.
std::string shown(json const& value) { return one_line(value.dump(), 200); }

/// Returns the clause that describes a difference in one key.
std::string difference(std::string const& key, json const& wanted, json const& found) {
  if (!found.contains(key)) {
    return one_line(as_key(key)) + " is " + shown(wanted[key]) + ", but the file has no such key";
  }
  if (!wanted.contains(key)) {
    return one_line(as_key(key)) + " is not given, but the file has " + shown(found[key]);
  }
  return one_line(as_key(key)) + " is " + shown(wanted[key]) + ", but the file has " +
         shown(found[key]);
}

}  // namespace

std::string fingerprint_of(Case const& chosen) {
  Problem const problem = with_digests(chosen.problem, chosen.data);
  json keys;
  add_grid(keys, problem.grid, problem.precision);
  add_equation(keys, problem);
  add_medium(keys, problem);
  if (chosen.initial_file) {
    add_initial(keys, *chosen.initial_file);
  } else {
    add_initial(keys, problem.initial);
  }
  add_method(keys, chosen.method);
  return keys.dump();
}

// Both directions: keys that the case has, and keys that only the file has.
std::vector<std::string> fingerprint_differences(std::string const& wanted,
                                                 std::string const& found) {
  // The case's own fingerprint is valid JSON; that of a file may be damaged.
  json const mine = json::parse(wanted);
  json const theirs = parse_json(found);
  if (!theirs.is_object()) {
    return {"the file does not record the problem that it belongs to"};
  }
  std::vector<std::string> keys;
  // Keys of the case that the file lacks, or whose values disagree.
  for (auto const& [key, value] : mine.items()) {
    if (!theirs.contains(key) || !agree(key, value, theirs[key])) keys.push_back(key);
  }
  // Keys that only the file has.
  for (auto const& [key, value] : theirs.items()) {
    if (!mine.contains(key)) keys.push_back(key);
  }
  // If the regions themselves differ, it does not matter how they are discretised.
  bool const other_regions = std::ranges::any_of(keys, [](std::string const& key) {
    return key == "equation.conductivity" || key == "equation.capacity" || key == "boundary.patch";
  });
  if (other_regions) std::erase(keys, "grid.shapes");
  std::vector<std::string> differences;
  std::ranges::transform(keys, std::back_inserter(differences),
                         [&](std::string const& key) { return difference(key, mine, theirs); });
  return differences;
}

// Only a single difference, in the time step, can be resolved by a line in the case.
std::string time_step_to_resume(Case const& chosen, std::string const& found) {
  json const theirs = parse_json(found);
  auto const step = theirs.is_object() ? theirs.find("method.time_step") : theirs.end();
  if (!method_named(chosen.method.name).advances_time || step == theirs.end() ||
      !step->is_number() || *step == chosen.method.time_step_s ||
      fingerprint_differences(chosen.fingerprint, found).size() != 1) {
    return "";
  }
  return "time_step = " + shortest(step->get<double>());
}

}  // namespace isotherm
