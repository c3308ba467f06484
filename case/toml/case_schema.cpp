#include "case/toml/case_schema.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/toml/key_advice.hpp"
#include "case/toml/value_type.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/error.hpp"
#include "solver/methods.hpp"

// The table of all keys of a case, and the checker that compares a document with such a table. Each
// rule has a valid example, which messages quote. To add a key, add a line to `case_rules` and read
// it in the file of its section.
namespace isotherm {
namespace {

using enum KeyType;

// Examples and patterns that several rules share. "boundary.*" stands for any face or axis;
// "grid.*" for the tables x, y and z.
constexpr std::string_view condition = R"({ type = "dirichlet", value = 1.0 })";
constexpr std::string_view axis_points = R"({ stretch = "tanh", strength = 2.0 })";
constexpr std::string_view three_numbers = "[0.0, 0.0, 0.0]";
constexpr std::string_view any_boundary = "boundary.*";
constexpr std::string_view patch = "boundary.patch";
constexpr std::string_view all_faces = "x_lower x_upper y_lower y_upper z_lower z_upper";
constexpr std::string_view any_axis = "grid.*";
constexpr std::string_view any_segment = "grid.*.segments";
constexpr std::string_view any_key = "*";
constexpr std::string_view any_function = "*.*";  // a table { file, dataset }

/// Returns the names of all methods, separated by blanks, from the solver's table of methods.
std::string const& method_names() {
  static std::string const names = [] {
    std::string all;
    for (Method const& method : methods()) all += ' ' + std::string(method.name);
    return all;
  }();
  return names;
}

/// Returns the names of all transports, separated by blanks.
std::string const& all_transports() {
  static std::string const names = transport_names(" ");
  return names;
}

/// The rules of all keys, by section, except for those that select regions.
std::array const case_rules{
    KeyRule{"", "title", text, R"("a warm plate")"},
    KeyRule{"", "constants", table, ""},
    KeyRule{"", "grid", table, ""},
    KeyRule{"", "equation", table, ""},
    KeyRule{"", "boundary", table, ""},
    KeyRule{"", "material", tables, ""},
    KeyRule{"", "fixed", tables, ""},
    KeyRule{"", "insulated", tables, ""},
    KeyRule{"", "convection", tables, ""},
    KeyRule{"", "radiation", tables, ""},
    KeyRule{"", "contact", tables, ""},
    KeyRule{"", "source", tables, ""},
    KeyRule{"", "initial", table, ""},
    KeyRule{"", "method", table, ""},
    KeyRule{"", "output", table, ""},
    KeyRule{"", "checkpoint", table, ""},
    KeyRule{"", "run", table, ""},
    KeyRule{"", "probe", tables, ""},

    // Named numbers; their names are free.
    KeyRule{"constants", any_key, number_or_expression, "400.0"},

    // Grid: uniform by default, with tables for graded axes.
    KeyRule{"grid", "points", wholes, "[512, 512, 512]"},
    KeyRule{"grid", "spacing", numbers, "[0.001, 0.001, 0.0005]"},
    KeyRule{"grid", "lower", numbers, three_numbers},
    KeyRule{"grid", "upper", numbers, "[1.0, 1.0, 1.0]"},
    KeyRule{"grid", "geometry", text, R"("axisymmetric")", "cartesian axisymmetric spherical"},
    KeyRule{"grid", "precision", text, R"("float32")", "float32 float64"},
    KeyRule{"grid", "shapes", text, R"("exact")", "exact points"},
    KeyRule{"grid", "x", table, axis_points},
    KeyRule{"grid", "y", table, axis_points},
    KeyRule{"grid", "z", table, axis_points},
    KeyRule{any_axis, "coordinates", numbers, "[0.0, 0.1, 0.3]"},
    KeyRule{any_axis, "segments", tables, ""},
    KeyRule{any_segment, "to", number, "0.003"},
    KeyRule{any_segment, "points", whole, "12"},
    KeyRule{any_segment, "ratio", number, "4.0"},
    KeyRule{any_axis, "stretch", text, R"("tanh")", "tanh geometric"},
    KeyRule{any_axis, "strength", number, "2.0"},
    KeyRule{any_axis, "towards", text, R"("lower")", "lower upper both"},
    KeyRule{any_axis, "file", text, R"("grid.h5")"},
    KeyRule{any_axis, "dataset", text, R"("/x")"},

    // Values in files, for any key that accepts a function; and functions of u.
    KeyRule{any_function, "file", text, R"("data.h5")"},
    KeyRule{any_function, "dataset", text, R"("/source")"},
    KeyRule{any_function, "above", number, "0.5"},
    KeyRule{any_function, "below", number, "0.5"},
    KeyRule{any_function, "stretch", flag, "true"},
    KeyRule{any_function, "table", text, R"("steel.csv")"},
    KeyRule{any_function, "enthalpy", text, R"("ice.csv")"},

    // Equation and its coefficients.
    KeyRule{"equation", "type", text, R"("laplace")", "laplace poisson diffusion"},
    KeyRule{"equation", "diffusivity", number, "1.0"},
    KeyRule{"equation", "conductivity", function_or_list, "400.0"},
    KeyRule{"equation", "capacity", function, "3.4e6"},
    KeyRule{"equation", "source", function, "\"sin(pi*x)\""},
    KeyRule{"equation", "reaction", function, "2.5"},
    KeyRule{"equation", "mean", number, "0.0"},
    KeyRule{"equation", "compatible", text, R"("project")", "project refuse"},

    // Boundary conditions: all faces, both faces of an axis, single faces, and parts of faces.
    KeyRule{"boundary", "all", table, condition},
    KeyRule{"boundary", "x", table, condition},
    KeyRule{"boundary", "y", table, condition},
    KeyRule{"boundary", "z", table, condition},
    KeyRule{"boundary", "x_lower", table, condition},
    KeyRule{"boundary", "x_upper", table, condition},
    KeyRule{"boundary", "y_lower", table, condition},
    KeyRule{"boundary", "y_upper", table, condition},
    KeyRule{"boundary", "z_lower", table, condition},
    KeyRule{"boundary", "z_upper", table, condition},
    KeyRule{"boundary", "patch", tables, ""},
    KeyRule{any_boundary, "type", text, R"("dirichlet")",
            "dirichlet neumann flux robin convection radiation periodic"},
    KeyRule{any_boundary, "value", function, "1.0"},
    KeyRule{any_boundary, "gradient", number, "1.0"},
    KeyRule{any_boundary, "coefficient", function, "10.0"},
    KeyRule{any_boundary, "h", function, "10.0"},
    KeyRule{any_boundary, "ambient", function, "20.0"},
    KeyRule{any_boundary, "emissivity", number, "0.8"},
    KeyRule{any_boundary, "absolute_zero", number, "-273.15"},
    KeyRule{any_boundary, "stefan_boltzmann", number, "5.670374419e-8"},
    KeyRule{any_boundary, "power", number_or_expression, "50.0"},
    KeyRule{patch, "name", text, R"("inlet")"},
    KeyRule{patch, "face", text, R"("z_lower")", all_faces},
    KeyRule{patch, "type", text, R"("dirichlet")",
            "dirichlet neumann flux robin convection radiation"},
    KeyRule{patch, "value", function, "1.0"},
    KeyRule{patch, "coefficient", function, "10.0"},
    KeyRule{patch, "h", function, "10.0"},
    KeyRule{patch, "ambient", function, "20.0"},
    KeyRule{patch, "emissivity", number, "0.8"},
    KeyRule{patch, "absolute_zero", number, "-273.15"},
    KeyRule{patch, "stefan_boltzmann", number, "5.670374419e-8"},
    KeyRule{patch, "power", number_or_expression, "50.0"},

    // Heterogeneous media; add_region_rules() adds the keys that select regions.
    KeyRule{"material", "name", text, R"("copper")"},
    KeyRule{"material", "conductivity", function_or_list, "400.0"},
    KeyRule{"material", "capacity", function, "3.4e6"},
    KeyRule{"fixed", "name", text, R"("electrode")"},
    KeyRule{"fixed", "value", function, "1.0"},
    KeyRule{"fixed", "h", number, "500.0"},
    KeyRule{"fixed", "floating", flag, "true"},
    KeyRule{"fixed", "flux", number, "1e-9"},
    KeyRule{"insulated", "name", text, R"("hole")"},
    KeyRule{"convection", "of", text, R"("hole")"},
    KeyRule{"convection", "h", function, "25.0"},
    KeyRule{"convection", "ambient", function, "20.0"},
    KeyRule{"radiation", "of", text, R"("hole")"},
    KeyRule{"radiation", "emissivity", number, "0.8"},
    KeyRule{"radiation", "ambient", function, "20.0"},
    KeyRule{"radiation", "absolute_zero", number, "-273.15"},
    KeyRule{"radiation", "stefan_boltzmann", number, "5.670374419e-8"},
    KeyRule{"contact", "between", texts, R"(["die", "lid"])"},
    KeyRule{"contact", "resistance", number, "2e-5"},
    KeyRule{"contact", "conductance", number, "5e4"},
    KeyRule{"source", "name", text, R"("die")"},
    KeyRule{"source", "at", numbers, "[0.5, 0.5, 0.5]"},
    KeyRule{"source", "power", number_or_expression, "50.0"},
    KeyRule{"source", "density", function, "1e6"},

    // Initial condition: a function, boxes and Gaussians, or a file.
    KeyRule{"initial", "value", function, "0.0"},
    KeyRule{"initial", "file", text, R"("u.h5")"},
    KeyRule{"initial", "dataset", text, R"("/u")"},
    KeyRule{"initial", "resample", flag_or_text, R"("cubic")", "linear cubic spline"},
    KeyRule{"initial", "box", tables, ""},
    KeyRule{"initial", "gaussian", tables, ""},
    KeyRule{"initial.box", "lower", numbers, three_numbers},
    KeyRule{"initial.box", "upper", numbers, "[0.5, 0.5, 0.5]"},
    KeyRule{"initial.box", "value", number, "1.0"},
    KeyRule{"initial.gaussian", "center", numbers, "[0.5, 0.5, 0.5]"},
    KeyRule{"initial.gaussian", "width", number, "0.1"},
    KeyRule{"initial.gaussian", "height", number, "1.0"},
    KeyRule{"initial.gaussian", "count", whole, "500"},
    KeyRule{"initial.gaussian", "seed", whole, "1"},

    // Method: stopping criteria, multigrid cycles, and time steps.
    KeyRule{"method", "name", text, R"("jacobi")", method_names()},
    KeyRule{"method", "iterations", whole, "1000"},
    KeyRule{"method", "tolerance", number, "1e-6"},
    KeyRule{"method", "relative_to", text, R"("field")", "field rhs first"},
    KeyRule{"method", "absolute_tolerance", number, "1e-9"},
    KeyRule{"method", "norm", text, R"("l2")", "l2 max"},
    KeyRule{"method", "check_every", whole, "100"},
    KeyRule{"method", "cycle", text, R"("V")", "V F W"},
    KeyRule{"method", "smoother", text, R"("chebyshev")", "chebyshev jacobi"},
    KeyRule{"method", "pre", whole, "4"},
    KeyRule{"method", "post", whole, "4"},
    KeyRule{"method", "cycle_precision", text, R"("float32")", "float32 float64"},
    KeyRule{"method", "coarsest", whole, "17"},
    KeyRule{"method", "hierarchy", text, R"("auto")", "auto grids aggregates"},
    KeyRule{"method", "steps", whole, "2000"},
    KeyRule{"method", "end_time", number, "1.0"},
    KeyRule{"method", "time_step", number_or_text, R"("stable")", "stable"},
    KeyRule{"method", "start_time", number, "100.0"},
    KeyRule{"method", "time_steps", tables, ""},
    KeyRule{"method.time_steps", "step", number, "0.1"},
    KeyRule{"method.time_steps", "to", number, "10.0"},
    KeyRule{"method", "stable_fraction", number, "0.9"},
    KeyRule{"method", "stages", whole, "15"},
    KeyRule{"method", "time_tolerance", number, "0.1"},
    KeyRule{"method", "first_step", number, "1e-3"},
    KeyRule{"method", "shortest_step", number, "1e-6"},
    KeyRule{"method", "step_tolerance", number, "1e-6"},
    KeyRule{"method", "step_solver", text, R"("direct")", "direct multigrid"},
    KeyRule{"method", "stop", text, R"("max < 300")"},

    // Files that a run writes.
    KeyRule{"output", "directory", text, R"("results")"},
    KeyRule{"output", "snapshot_every", whole, "500"},
    KeyRule{"output", "snapshot_interval", number, "0.05"},
    KeyRule{"output", "snapshot_times", numbers, "[0.1, 0.25, 1.0]"},
    KeyRule{"output", "fields", texts, R"(["u", "gradient"])",
            "u source material share gradient flux"},
    KeyRule{"output", "quantities", texts, R"(["integral", "max"])",
            "integral mean min max flux heat energy"},
    KeyRule{"output", "picture", flag_or_text, R"("svg")", "png svg pdf"},
    KeyRule{"output", "contours", flag_or_whole, "true"},
    KeyRule{"output", "picture_every", whole, "100"},
    KeyRule{"output", "picture_slice", table, "{ z = 0.5 }"},
    KeyRule{"output", "picture_range", numbers, "[0.0, 100.0]"},
    KeyRule{"output", "picture_box", table, "{ lower = [0.0, 0.0, 0.0], upper = [0.5, 0.5, 0.5] }"},
    KeyRule{"output", "picture_width", whole, "1920"},
    KeyRule{"output", "label", text, R"("Temperature, °C")"},
    KeyRule{"output", "length_unit", text, R"("mm")"},
    KeyRule{"output", "length_scale", number, "1.0"},
    KeyRule{"output", "flux_unit", text, R"("W/m²")"},
    KeyRule{"output", "time_unit", text, R"("s")"},
    KeyRule{"output", "colour_map", text, R"("viridis")"},
    KeyRule{"output", "arrows", flag, "true"},
    KeyRule{"output", "film", flag_or_text, "true", "gif png"},
    KeyRule{"output", "report", flag, "true"},
    KeyRule{"output", "compression", whole, "4"},
    KeyRule{"output", "precision", text, R"("float32")", "float32 float64"},
    KeyRule{"output", "cut", table, "{ lower = [0.0, 0.0, 0.0], upper = [0.5, 0.5, 0.5] }"},
    KeyRule{"output", "in_background", flag, "true"},
    KeyRule{"output.picture_slice", "x", number, "0.5"},
    KeyRule{"output.picture_slice", "y", number, "0.5"},
    KeyRule{"output.picture_slice", "z", number, "0.5"},
    KeyRule{"output.picture_box", "lower", numbers, three_numbers},
    KeyRule{"output.picture_box", "upper", numbers, "[0.5, 0.5, 0.5]"},
    KeyRule{"output.cut", "lower", numbers, three_numbers},
    KeyRule{"output.cut", "upper", numbers, "[0.5, 0.5, 0.5]"},

    KeyRule{"checkpoint", "every", whole, "1000"},
    KeyRule{"checkpoint", "every_minutes", number, "10"},
    KeyRule{"checkpoint", "keep", whole, "2"},
    KeyRule{"checkpoint", "when_busy", text, R"("wait")", "wait skip"},

    // How a case is computed; these keys do not change the problem.
    KeyRule{"run", "device", text, R"("auto")", "auto cuda cpu"},
    KeyRule{"run", "decomposition", wholes, "[2, 2, 1]"},
    KeyRule{"run", "transport", text, R"("auto")", all_transports()},
    KeyRule{"run", "mpi_device_memory", text, R"("auto")", "auto yes no"},
    KeyRule{"run", "plan", text, R"("auto")"},
    KeyRule{"run", "plan_table", text, R"("plans.toml")"},
    KeyRule{"run", "tune", flag, "true"},
    KeyRule{"run", "wall_time", text, R"("23:50:00")"},
    KeyRule{"run", "patience", number_or_text, R"("00:10:00")"},

    // Measurements during a run: a point, a line or a plane.
    KeyRule{"probe", "name", text, R"("middle")"},
    KeyRule{"probe", "at", numbers, "[0.5, 0.5, 0.5]"},
    KeyRule{"probe", "from", numbers, three_numbers},
    KeyRule{"probe", "to", numbers, "[1.0, 1.0, 1.0]"},
    KeyRule{"probe", "points", whole, "101"},
    KeyRule{"probe", "plane", table, "{ z = 1.0 }"},
    KeyRule{"probe.plane", "x", number, "0.5"},
    KeyRule{"probe.plane", "y", number, "0.5"},
    KeyRule{"probe.plane", "z", number, "0.5"},
};

/// A section whose tables select regions, and the nested tables that define shapes. The names have
/// static storage, because KeyRule refers to them.
struct RegionSections {
  std::string_view section, box, ball, cylinder, stl;
};
constexpr std::array region_sections{
    RegionSections{patch, "boundary.patch.box", "boundary.patch.ball", "boundary.patch.cylinder",
                   "boundary.patch.stl"},
    RegionSections{"material", "material.box", "material.ball", "material.cylinder",
                   "material.stl"},
    RegionSections{"fixed", "fixed.box", "fixed.ball", "fixed.cylinder", "fixed.stl"},
    RegionSections{"insulated", "insulated.box", "insulated.ball", "insulated.cylinder",
                   "insulated.stl"},
    RegionSections{"source", "source.box", "source.ball", "source.cylinder", "source.stl"},
};

/// Adds the rules of `where`, `box`, `ball`, `cylinder` and `stl` for one section.
void add_region_rules(std::vector<KeyRule>& rules, RegionSections const& at) {
  constexpr std::string_view half = "[0.5, 0.5, 0.5]";
  rules.insert(
      rules.end(),
      {{at.section, "where", expression_or_file, R"("x > 0.2 && y < 0.1")"},
       {at.section, "box", table, "{ lower = [0.0, 0.0, 0.0], upper = [0.5, 0.5, 0.5] }"},
       {at.section, "ball", table, "{ center = [0.5, 0.5, 0.5], radius = 0.1 }"},
       {at.section, "cylinder", table, R"({ axis = "z", center = [0.5, 0.5], radius = 0.1 })"},
       {at.section, "stl", table, R"({ file = "part.stl", scale = 0.001 })"},
       {at.section, "outside", flag, "true"},
       {at.box, "lower", numbers, three_numbers},
       {at.box, "upper", numbers, half},
       {at.ball, "center", numbers, half},
       {at.ball, "radius", number, "0.1"},
       {at.cylinder, "axis", text, R"("z")", "x y z"},
       {at.cylinder, "center", numbers, "[0.5, 0.5]"},
       {at.cylinder, "radius", number, "0.1"},
       {at.cylinder, "lower", number, "0.0"},
       {at.cylinder, "upper", number, "0.5"},
       {at.stl, "file", text, R"("part.stl")"},
       {at.stl, "scale", number, "0.001"},
       {at.stl, "offset", numbers, three_numbers}});
}

/// Returns whether the value at `path` is a function, so that a table there names a file.
bool is_function(std::string const& path) {
  constexpr std::array<std::string_view, 10> keys{
      ".source",      ".reaction", ".conductivity", ".capacity", ".density", ".value",
      ".coefficient", ".h",        ".ambient",      ".where"};
  return std::ranges::any_of(keys, [&](std::string_view key) { return path.ends_with(key); });
}

/// Returns the section of the rules for the table at `path`, which may be a pattern such as
/// "boundary.*". For example "boundary.x_lower" -> "boundary.*", "grid.x" -> "grid.*",
/// "equation.source" -> "*.*". Other paths are their own section.
std::string_view section_of(std::string const& path) {
  if (is_function(path)) return any_function;
  if (path == "grid.x" || path == "grid.y" || path == "grid.z") return any_axis;
  if (path.starts_with("grid.") && path.ends_with(".segments")) return any_segment;
  bool const of_patch = path.starts_with(patch);
  return path.starts_with("boundary.") && !of_patch ? any_boundary : std::string_view(path);
}

/// Returns whether the table at `path` is an element of a list, such as [[boundary.patch]] or
/// [[fixed]].
bool is_list_of_tables(std::span<KeyRule const> rules, std::string_view path) {
  auto const dot = path.rfind('.');
  bool const inner = dot != std::string_view::npos;
  std::string const section(inner ? path.substr(0, dot) : "");
  return std::ranges::any_of(rules, [&](KeyRule const& rule) {
    return rule.type == tables &&
           (rule.section == section || rule.section == section_of(section)) &&
           rule.key == (inner ? path.substr(dot + 1) : path);
  });
}

/// Returns the first rule of a section that matches a key, or null.
KeyRule const* find_rule(std::span<KeyRule const> rules, std::string_view section,
                         std::string_view key) {
  auto const found = std::find_if(rules.begin(), rules.end(), [&](KeyRule const& rule) {
    return rule.section == section && (rule.key == key || rule.key == any_key);
  });
  return found == rules.end() ? nullptr : &*found;
}

/// Checks a text against the valid choices of its key, and suggests the nearest one.
void check_choice(std::string const& chosen, TomlValue const& value, KeyRule const& rule,
                  std::string const& path) {
  auto const valid = words_of(rule.choices);
  if (valid.empty() || std::find(valid.begin(), valid.end(), chosen) != valid.end()) {
    return;
  }
  std::string const nearest = nearest_name(chosen, valid);
  std::string advice = nearest.empty() ? "" : R"(did you mean ")" + nearest + R"("? )";
  std::string const meant = advice_on_choice(section_of(path), rule.key, chosen);
  if (!meant.empty()) advice = meant + "; ";
  advice += valid.size() == 1 ? "the only valid value is " : "valid values are ";
  advice += rule.type == flag_or_text ? "true, false, " : "";
  throw InputError(value.where + ": " + key_name(path, std::string(rule.key)) + " is " +
                   in_quotes(chosen) + " (" + advice + '"' + join(valid, "\", \"") + "\")");
}

/// Checks the choices of a text, or of each text in a list.
void check_choices(TomlValue const& value, KeyRule const& rule, std::string const& path) {
  if (rule.type == text || rule.type == number_or_text || rule.type == flag_or_text) {
    if (auto const* chosen = value.as<std::string>()) {
      check_choice(*chosen, value, rule, path);
    }
  } else if (rule.type == texts) {
    for (TomlValue const& element : value.get<TomlValue::List>()) {
      check_choice(element.get<std::string>(), element, rule, path);
    }
  }
}

/// Returns whether a value of this type is a table or a list of tables.
bool holds_tables(KeyType type) { return type == table || type == tables; }

/// What to check: only the names of keys and which values are tables, or also types and choices.
enum class Depth { names, values };

/// Checks a document against a table of rules, recursively.
class KeyChecker {
 public:
  KeyChecker(std::span<KeyRule const> rules, Depth depth) : rules_(rules), depth_(depth) {}
  /// See isotherm::check_path().
  void check_path(std::vector<std::string> const& path, std::string const& where) const;
  /// Checks all entries of the table at `path`.
  void check_table(TomlTable const& table_, std::string const& path) const;

 private:
  /// Returns the valid keys of a section.
  [[nodiscard]] std::vector<std::string> keys_of(std::string_view section) const;
  [[nodiscard]] std::string homes_of(std::string_view key) const;
  [[nodiscard]] std::string advice_on(std::string_view section, std::string const& key) const;
  [[noreturn]] void fail_unknown(TomlEntry const& entry, std::string const& path) const;
  void check_inside(TomlValue const& value, KeyType type, std::string const& path) const;

  std::span<KeyRule const> rules_;
  Depth depth_;
};

std::vector<std::string> KeyChecker::keys_of(std::string_view section) const {
  std::vector<std::string> keys;
  for (KeyRule const& rule : rules_) {
    if (rule.section == section) {
      keys.emplace_back(rule.key);
    }
  }
  return keys;
}

/// Returns the sections that have `key`, as in "[grid] or [output]"; empty if there is none, or
/// more than three. Patterns are skipped, since they stand for several sections.
std::string KeyChecker::homes_of(std::string_view key) const {
  std::vector<std::string> homes;
  for (KeyRule const& rule : rules_) {
    bool const in_many =
        rule.section == any_boundary || rule.section == any_axis || rule.section == any_function;
    if (rule.key != key || rule.section.empty() || in_many) continue;
    bool const list = is_list_of_tables(rules_, rule.section);
    homes.push_back((list ? "[[" : "[") + std::string(rule.section) + (list ? "]]" : "]"));
  }
  return homes.size() <= 3 ? join(homes, " or ") : "";
}

/// Suggests a correction of an unknown key: its counterpart, the sections to which it belongs, the
/// nearest valid key, or a list of all.
std::string KeyChecker::advice_on(std::string_view section, std::string const& key) const {
  auto const valid = keys_of(section);
  // Other documents than cases have other sections.
  std::string meant = keys_of("method").empty() ? "" : advice_on_key(section, key);
  if (!meant.empty()) return meant;
  std::string const homes = homes_of(key);
  if (!homes.empty()) {
    return "it belongs in " + homes;
  }
  std::string const nearest = nearest_name(key, valid);
  return nearest.empty() ? "valid keys are " + join(valid) : "did you mean " + nearest + '?';
}

/// Throws an error about an unknown key or section.
void KeyChecker::fail_unknown(TomlEntry const& entry, std::string const& path) const {
  std::string const advice = advice_on(section_of(path), entry.key);
  std::string const key = one_line(entry.key);
  bool const is_section = path.empty() && entry.value.as<TomlTable>() != nullptr;
  throw InputError(
      entry.where + ": " +
      (is_section ? '[' + key + "] is not a section" : key_name(path, key) + " is not a key") +
      " (" + advice + ')');
}

/// Checks the tables inside a value: nested tables, lists of tables, and tables that name files. A
/// function may be a table { file, dataset }, or a list of such tables.
void KeyChecker::check_inside(TomlValue const& value, KeyType type, std::string const& path) const {
  auto const* const list = value.as<TomlValue::List>();
  if (takes_files(type)) {
    if (auto const* const file = value.as<TomlTable>()) check_table(*file, path);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      check_inside((*list)[i], type, path);
    }
  } else if (type == table) {
    check_table(value.get<TomlTable>(), path);
  } else if (type == tables) {
    for (TomlValue const& element : value.get<TomlValue::List>()) {
      check_table(element.get<TomlTable>(), path);
    }
  }
}

void KeyChecker::check_table(TomlTable const& table_, std::string const& path) const {
  for (TomlEntry const& entry : table_.entries) {
    KeyRule const* rule = rule_for(rules_, path, entry.key);
    if (rule == nullptr) {
      fail_unknown(entry, path);
    }
    // Tables are checked in both passes, since the recursion relies on them.
    if (depth_ == Depth::values || holds_tables(rule->type)) check_type(entry, *rule, path);
    if (depth_ == Depth::values) check_choices(entry.value, *rule, path);
    check_inside(entry.value, rule->type, path.empty() ? entry.key : path + '.' + entry.key);
  }
}

void KeyChecker::check_path(std::vector<std::string> const& path, std::string const& where) const {
  std::string section;
  for (std::string const& key : path) {
    if (rule_for(rules_, section, key) == nullptr) fail_unknown({key, {}, where}, section);
    section += (section.empty() ? "" : ".") + key;
  }
}

}  // namespace

std::string key_name(std::string const& section, std::string const& key) {
  return section.empty() ? key : '[' + section + "] " + key;
}

std::vector<std::string> words_of(std::string_view choices) {
  std::istringstream stream{std::string(choices)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

KeyRule const* rule_for(std::span<KeyRule const> rules, std::string const& path,
                        std::string_view key) {
  return find_rule(rules, section_of(path), key);
}

void check_names(TomlTable const& root, std::span<KeyRule const> rules) {
  KeyChecker(rules, Depth::names).check_table(root, "");
}

void check_keys(TomlTable const& root, std::span<KeyRule const> rules) {
  KeyChecker(rules, Depth::values).check_table(root, "");
}

void check_path(std::vector<std::string> const& path, std::string const& where,
                std::span<KeyRule const> rules) {
  KeyChecker(rules, Depth::names).check_path(path, where);
}

std::span<KeyRule const> case_keys() {
  static std::vector<KeyRule> const rules = [] {
    std::vector<KeyRule> all(case_rules.begin(), case_rules.end());
    for (RegionSections const& sections : region_sections) add_region_rules(all, sections);
    return all;
  }();
  return rules;
}

}  // namespace isotherm
