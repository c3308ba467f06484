#include "app/machine/plan_file.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "case/basics/text/text_file.hpp"
#include "case/basics/text/wording.hpp"
#include "case/sections/section.hpp"
#include "case/toml/case_schema.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/shaped_plans.hpp"

namespace isotherm::app {
namespace {

using enum KeyType;

/// The keys of a [[plan]]: section, name, type, example, and the valid texts if they are few.
constexpr std::array plan_keys{
    KeyRule{"", "plan", tables, ""},
    KeyRule{"plan", "backend", text, R"("cuda")", "cpu cuda"},
    KeyRule{"plan", "device", text, R"("NVIDIA H200")"},
    KeyRule{"plan", "least_capability", whole, "90"},
    KeyRule{"plan", "dimension", whole, "3"},
    KeyRule{"plan", "precision", text, R"("float32")", "float32 float64"},
    KeyRule{"plan", "fixed", flag, "true"},
    KeyRule{"plan", "source", flag, "false"},
    KeyRule{"plan", "heterogeneous", flag, "false"},
    KeyRule{"plan", "least_points", whole, "1000000"},
    KeyRule{"plan", "least_extent", whole, "64"},
    KeyRule{"plan", "plan", text, R"("plain")"},
};

/// Reads the minimum compute capability; 0 if the key is missing.
int read_capability(CaseSection const& section, Backend backend) {
  if (backend == Backend::cpu) {
    section.refuse("least_capability", "does not apply to the CPU (leave it out)");
  }
  std::int64_t const capability = section.whole("least_capability", 0, 0);
  // Catches "9.0" written as 9, and "90" written as 9000.
  if (capability != 0 && (capability < 10 || capability > 999)) {
    section.fail("least_capability",
                 "is " + std::to_string(capability) +
                     " (needs the compute capability without the decimal point, 90 for 9.0)");
  }
  return static_cast<int>(capability);
}

/// Reads the dimension, which is mandatory.
int read_row_dimension(CaseSection const& section) {
  section.require_key("dimension", "2 or 3");
  std::int64_t const dimension = section.whole("dimension", 0, 0);
  if (dimension != 2 && dimension != 3) {
    section.fail("dimension", "is " + std::to_string(dimension) + " (needs 2 or 3)");
  }
  return static_cast<int>(dimension);
}

/// Reads a condition of a row: true, false, or nothing if the key is missing and both match.
std::optional<bool> read_choice(CaseSection const& section, std::string const& key) {
  return section.has(key) ? std::optional(section.flag(key, false)) : std::nullopt;
}

/// Reads one [[plan]].
PlanRow read_row(CaseSection const& section) {
  section.require_key("backend", R"("cpu" or "cuda")");
  PlanRow row;
  row.backend = section.text("backend") == "cuda" ? Backend::cuda : Backend::cpu;
  row.device = section.text("device", "");
  row.min_capability = read_capability(section, row.backend);
  row.dimension = read_row_dimension(section);
  if (section.has("precision")) {
    row.precision =
        section.text("precision") == "float32" ? Precision::float32 : Precision::float64;
  }
  // Whether all faces are Dirichlet faces, there is a source, and coefficients vary in space.
  row.fixed = read_choice(section, "fixed");
  row.source = read_choice(section, "source");
  row.heterogeneous = read_choice(section, "heterogeneous");
  row.min_points = section.whole("least_points", 0, 0);
  row.min_extent = section.whole("least_extent", 0, 0);
  row.plan = section.text("plan");
  return row;
}

/// Returns the names of all plans that a row may name.
std::vector<std::string> plans_for(PlanRow const& row) {
  std::vector<std::string> names;
  // A row without a precision applies to both, so it may name the plans of either.
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    if (row.precision.value_or(precision) != precision) continue;
    for (SweepPlan const& plan : sweep_plans(row.backend, row.dimension, precision)) {
      if (std::ranges::find(names, plan.name) == names.end()) names.push_back(plan.name);
    }
  }
  // The resident plan is not a sweep plan, so sweep_plans() does not list it.
  if (row.dimension == 2) names.emplace_back(resident_plan);
  return names;
}

/// Returns true if a row names a kernel with a block shape that exists.
bool names_shape(PlanRow const& row) {
  try {
    return shaped_plan(row.backend, row.dimension, row.precision.value_or(Precision::float64),
                       row.plan)
        .has_value();
  } catch (InputError const&) {
    return false;
  }
}

/// Returns true if a row applies to a device.
bool is_for(PlanRow const& row, Backend backend, DeviceInfo const& device) {
  return row.backend == backend && (row.device.empty() || row.device == device.name) &&
         row.min_capability <= device.compute_capability;
}

/// Returns the value of an environment variable; empty if it is unset.
std::string environment(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Returns the path of the user's own table, whether the file exists or not; empty if there is no
/// home directory.
std::filesystem::path default_file() {
  std::filesystem::path folder = environment("XDG_CONFIG_HOME");
  if (!folder.is_absolute()) {  // the XDG specification ignores relative paths
    std::filesystem::path const home = environment("HOME");
    if (home.empty()) return {};
    folder = home / ".config";
  }
  return folder / "isotherm" / "plans.toml";
}

constexpr char const* variable = "ISOTHERM_PLAN_TABLE";  // names a plan table

/// How the plan table was chosen.
enum class NamedBy { key, environment, nobody };

/// A plan table's text with its name and origin, which the root shares with all ranks. Name and
/// text are empty if there is no file.
struct FoundFile {
  std::string name{}, text{};
  NamedBy named_by = NamedBy::key;
};

/// Runs `work`, which uses a plan table. If the environment variable named the table, errors
/// mention the variable: the user may have forgotten that it is set.
template <class Work>
auto naming_the_variable(NamedBy named_by, Work const& work) {
  try {
    return work();
  } catch (InputError const& error) {
    if (named_by != NamedBy::environment) throw;
    throw InputError(std::string(variable) + " in the environment: " + error.what());
  }
}

/// Finds and reads the plan table, on the root only.
FoundFile find_file(std::optional<std::filesystem::path> const& wanted) {
  FoundFile found;
  std::filesystem::path file = wanted.value_or("");
  if (file.empty()) {
    file = environment(variable);
    found.named_by = NamedBy::environment;
  }
  if (file.empty()) {
    file = default_file();
    found.named_by = NamedBy::nobody;
    std::error_code unreadable;
    if (file.empty() || !std::filesystem::exists(file, unreadable)) return found;
  }
  found.name = file.string();
  found.text =
      naming_the_variable(found.named_by, [&] { return read_text_file(file, "a plan table"); });
  return found;
}

/// Returns the root's file on all ranks. Collective.
FoundFile share(mpi::Communicator const& ranks, FoundFile const& found) {
  // Enumerators travel as integers.
  auto const named_by = static_cast<std::uint64_t>(found.named_by);
  return {ranks.broadcast(found.name), ranks.broadcast(found.text),
          static_cast<NamedBy>(ranks.broadcast(named_by))};
}

/// Adds the rows of a file. If the user named the file, an unknown plan is an error. The default
/// file may serve several machines, so there a row with an unknown plan is only reported.
void add_rows(PlanFile& file, FoundFile const& found, Device const& device) {
  for (PlanFileRow const& row : parse_plan_table(found.text, found.name)) {
    std::string const unknown = unknown_plan(row, device.backend, device.info);
    if (!unknown.empty() && found.named_by != NamedBy::nobody) throw InputError(unknown);
    if (unknown.empty()) {
      file.rows.push_back(row.row);
    } else {
      file.warnings.push_back("ignored: " + unknown);
    }
  }
}

}  // namespace

std::vector<PlanFileRow> parse_plan_table(std::string const& text, std::string const& name) {
  TomlTable const root = parse_toml(text, name);
  check_keys(root, plan_keys);
  std::vector<PlanFileRow> rows;
  TomlEntry const* const entry = root.find("plan");
  if (entry == nullptr) return rows;
  for (TomlValue const& value : entry->value.get<TomlValue::List>()) {
    auto const& keys = value.get<TomlTable>();
    PlanRow const row = read_row(CaseSection(keys, "plan"));
    rows.push_back({row, keys.find("plan")->where});
  }
  return rows;
}

std::string unknown_plan(PlanFileRow const& row, Backend backend, DeviceInfo const& device) {
  if (!is_for(row.row, backend, device)) return "";
  std::vector<std::string> const names = plans_for(row.row);
  if (names_shape(row.row)) return "";
  if (std::ranges::find(names, row.row.plan) != names.end()) return "";
  std::string const nearest = nearest_name(row.row.plan, names);
  return row.where + ": [plan] plan is " + in_quotes(row.row.plan) + " (" +
         (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") + "valid plans are \"" +
         join(names, "\", \"") + "\")";
}

std::string to_toml(PlanRow const& row, std::string const& comment) {
  TomlTable keys;
  auto const put = [&](char const* key, auto const& value) {
    TomlValue entry;
    entry.data = value;
    keys.entries.push_back({key, entry, ""});
  };
  put("backend", std::string(name(row.backend)));
  if (!row.device.empty()) put("device", row.device);
  if (row.min_capability > 0) put("least_capability", std::int64_t{row.min_capability});
  put("dimension", std::int64_t{row.dimension});
  if (row.precision) put("precision", std::string(name(*row.precision)));
  if (row.fixed) put("fixed", *row.fixed);
  if (row.source) put("source", *row.source);
  if (row.heterogeneous) put("heterogeneous", *row.heterogeneous);
  if (row.min_points > 0) put("least_points", row.min_points);
  if (row.min_extent > 0) put("least_extent", row.min_extent);
  put("plan", row.plan);
  // The last newline is removed, so the comment can follow the plan.
  std::string lines = to_toml(keys);
  lines.pop_back();
  return "[[plan]]\n" + lines + (comment.empty() ? "" : "  # " + one_line(comment, 500)) + "\n";
}

PlanFile read_plan_file(mpi::Communicator const& ranks,
                        std::optional<std::filesystem::path> const& wanted, Device const& device) {
  FoundFile found;
  // Only the root accesses the file system: other hosts may not have the user's configuration.
  on_root(ranks, [&] { found = find_file(wanted); });
  found = share(ranks, found);
  PlanFile file;
  file.name = found.name;
  // Each rank parses the text: the rows that apply depend on its device.
  rethrow_on_all_ranks(
      ranks, [&] { naming_the_variable(found.named_by, [&] { add_rows(file, found, device); }); });
  return file;
}

}  // namespace isotherm::app
