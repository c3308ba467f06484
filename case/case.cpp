#include "case/case.hpp"

#include <algorithm>

#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/case_reader.hpp"
#include "case/data/data_field.hpp"
#include "case/key_at_fault.hpp"
#include "case/one_axis.hpp"
#include "case/sections/axes.hpp"
#include "case/sections/constants.hpp"
#include "case/sections/parts.hpp"
#include "case/sections/regions.hpp"
#include "case/toml/case_schema.hpp"
#include "case/toml/toml_overrides.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/rkl2.hpp"

// How a case is read: text -> TOML document -> overrides -> names of keys -> constants -> types of
// values -> sections in the order of their dependencies -> fingerprint.
namespace isotherm {
namespace {

/// Parses the text, applies the overrides, evaluates the constants, and checks keys and types.
///
/// The names of keys are checked before constants are inserted, since with_numbers() needs the rule
/// of each key. Types are checked afterwards, when texts such as "2*n" have become numbers.
/// Messages can name the line of each value: the TOML document stores the place of every key, and
/// an override has the place "--set KEY=VALUE". `written` keeps the document without constants
/// inserted, for the copy of the case that a run stores.
CaseDocument read_document(std::string const& text, std::string const& file,
                           std::vector<std::string> const& overrides) {
  // 1. Parses the text. The table keeps the order of the keys and the line of each value.
  TomlTable written = parse_toml(text, file);
  if (written.entries.empty()) {
    throw InputError(file + ": the case is empty (isotherm new laplace prints one to start from)");
  }
  std::vector<std::string> const own_constants = constant_names(written);
  std::vector<std::string> displaced;
  for (std::string const& assignment : overrides) {
    for (std::string const& key : apply_override(written, assignment)) {
      displaced.push_back(key + ", because of " + override_position(assignment));
    }
  }
  // 2. Checks the names of all keys, including those that overrides have set.
  check_names(written, case_keys());
  // 3. Evaluates [constants], then replaces texts by numbers at keys that accept a number.
  Constants constants = read_constants(written);
  TomlTable root = with_numbers(written, case_keys(), constants);
  // 4. Checks the types and choices of all values.
  check_keys(root, case_keys());
  add_second_axis(root);
  refuse_unused_constants(written, own_constants);
  return {std::move(root), file, std::move(written), std::move(constants), std::move(displaced)};
}

/// Returns the title, by default the case file's name without extension.
std::string read_title(CaseDocument const& document) {
  std::string const stem = std::filesystem::path(document.file).stem().string();
  return CaseSection(document.root, "").text("title", stem);
}

/// Reads everything that defines the solution. Each reader uses the results of those before it.
///
/// The order is fixed. The equation determines which boundary conditions may depend on time. The
/// boundary determines which axes are periodic, and the grid depends on that. Media, patches and
/// sources depend on the grid.
Problem read_problem(CaseDocument const& document) {
  Problem problem;
  problem.start_time_s = read_start_time(document);
  problem.grid.dimension = read_dimension(document);
  read_equation(document, problem);
  read_boundary(document, problem);
  read_grid(document, problem);
  settle_boundary_data(document, problem);
  read_medium(document, problem);
  read_patches(document, problem);
  check_uniqueness(document, problem);
  read_source(document, problem);
  check_gradients(document, problem);
  check_boundary_values(document, problem);
  return problem;
}

/// Makes a path absolute that is relative to the case file. Returns true if it was relative; false
/// if there is no path or if it was absolute.
bool anchor_file(CaseDocument const& document, TomlEntry* file) {
  if (file == nullptr) return false;
  std::filesystem::path const path = file->value.get<std::string>();
  auto const folder = std::filesystem::path(document.file).parent_path();
  file->value.data = std::filesystem::absolute(folder / path).lexically_normal().string();
  return path.is_relative();
}

/// Makes the path at a key such as {"run", "plan_table"} absolute, as anchor_file() does.
bool anchor_path(CaseDocument& document, std::vector<std::string> const& key) {
  TomlTable* table = &document.written;
  TomlEntry* file = nullptr;
  for (std::string const& name : key) {
    file = table == nullptr ? nullptr : table->find(name);
    table = file == nullptr ? nullptr : file->value.as<TomlTable>();
  }
  return anchor_file(document, file);
}

/// Makes the paths of all values in files absolute, in a table and in nested ones. Returns the keys
/// whose paths were relative.
std::vector<std::string> anchor_data(CaseDocument const& document, TomlTable& table,
                                     std::string const& path);

/// As above, for one value with its rule. A list may hold a file for each axis.
std::vector<std::string> anchor_data(CaseDocument const& document, TomlValue& value,
                                     KeyRule const& rule, std::string const& section,
                                     std::string const& key) {
  std::vector<std::string> anchored;
  auto* const table = value.as<TomlTable>();
  if (auto* const list = value.as<TomlValue::List>()) {
    for (TomlValue& element : *list) {
      auto const more = anchor_data(document, element, rule, section, key);
      anchored.insert(anchored.end(), more.begin(), more.end());
    }
  } else if (table != nullptr && !takes_files(rule.type)) {
    return anchor_data(document, *table, section.empty() ? key : section + '.' + key);
  } else if (table != nullptr) {
    for (char const* const name : {"file", "table", "enthalpy"}) {
      if (anchor_file(document, table->find(name))) anchored.push_back(key_name(section, key));
    }
  }
  return anchored;
}

std::vector<std::string> anchor_data(CaseDocument const& document, TomlTable& table,
                                     std::string const& path) {
  std::vector<std::string> anchored;
  for (TomlEntry& entry : table.entries) {
    KeyRule const* const rule = rule_for(case_keys(), path, entry.key);
    if (rule == nullptr) continue;
    auto const more = anchor_data(document, entry.value, *rule, path, entry.key);
    anchored.insert(anchored.end(), more.begin(), more.end());
  }
  return anchored;
}

/// Adds the default title to a case without one, since the name of the copy's file may differ.
/// Returns false if the case has a title.
bool name_title(CaseDocument& document, std::string const& title) {
  auto& entries = document.written.entries;
  if (document.written.find("title") != nullptr) {
    return false;
  }
  entries.insert(entries.begin(), {"title", {title}});
  return true;
}

/// Returns the text that Case::text holds. It is the original text, with its comments, if that is
/// complete and has no relative paths. Otherwise it is written again from the values, with a
/// comment that lists the changes.
///
/// The result is a case that yields the same run from any directory, for example:
///
///     # as run: --set method.iterations=50 title from the file's name
///     title = "plate"
///     [grid]
///     ...
std::string text_of(CaseDocument document, std::string const& text, std::string const& title,
                    std::vector<std::string> const& overrides) {
  // 1. Makes all paths absolute, so the text is valid in any directory.
  bool const file_anchored = anchor_path(document, {"initial", "file"});
  bool const table_anchored = anchor_path(document, {"run", "plan_table"});
  std::string others_anchored;
  for (char const* const axis : {"x", "y", "z"}) {
    if (anchor_path(document, {"grid", axis, "file"})) {
      others_anchored += std::string(" [grid.") + axis + "] file by its absolute path";
    }
  }
  for (std::string const& key : anchor_data(document, document.written, "")) {
    others_anchored += ' ' + key + " by its file's absolute path";
  }
  // 2. Adds the title if the name of the file has supplied it.
  bool const titled = name_title(document, title);
  // 3. Keeps the user's text with its comments if nothing has changed.
  if (overrides.empty() && !file_anchored && !table_anchored && others_anchored.empty() &&
      !titled) {
    return text;
  }
  // 4. Otherwise writes a heading that lists the changes, and the document behind it.
  std::string heading = "# as run:";
  for (std::string const& assignment : overrides) {
    heading += ' ' + override_position(assignment);
  }
  heading += file_anchored ? " [initial] file by its absolute path" : "";
  heading += table_anchored ? " [run] plan_table by its absolute path" : "";
  heading += others_anchored;
  heading += titled ? " title from the file's name" : "";
  return heading + '\n' + to_toml(document.written);
}

/// The places and values of keys; see Case::said.
using KeysSaid = std::map<std::string, std::string>;

void add_said(KeysSaid& said, TomlTable const& table, std::string const& section,
              std::string const& path);

/// Adds the keys of the tables in a list, by their number; nothing if the value is no such list.
void add_said_of_list(KeysSaid& said, TomlValue const& value, std::string const& section,
                      std::string const& path) {
  auto const* const list = value.as<TomlValue::List>();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto const* const table = (*list)[i].as<TomlTable>();
    if (table != nullptr) add_said(said, *table, section, path + '.' + std::to_string(i));
  }
}

/// Adds the keys of a table. The place of an overridden value, "--set KEY=VALUE", already contains
/// the value.
void add_said(KeysSaid& said, TomlTable const& table, std::string const& section,
              std::string const& path) {
  for (TomlEntry const& entry : table.entries) {
    add_said_of_list(said, entry.value, section + '.' + entry.key, path + '.' + entry.key);
    bool const overridden = entry.where.starts_with("--");
    said[path + '.' + entry.key] = entry.where + ": " + key_name(section, entry.key) +
                                   (overridden ? "" : " = " + one_line(to_toml(entry.value)));
  }
}

/// Collects the places of all keys of sections, and of lists of tables by their number.
KeysSaid keys_said(CaseDocument const& document) {
  KeysSaid said;
  for (auto const& [key, value, where] : document.written.entries) {
    if (auto const* const table = value.as<TomlTable>()) add_said(said, *table, key, key);
    add_said_of_list(said, value, key, key);
  }
  return said;
}

/// Calls `work`, which evaluates conductivity and capacity all over the grid. An invalid value is
/// reported with its key, or with the file alone if several materials set that property.
template <class Work>
auto naming_values(Case const& chosen, CaseDocument const& document, Work const& work) {
  try {
    return work();
  } catch (ValueRefusal const& refusal) {
    std::string const place = place_of(chosen, deciding_key(chosen, refusal.key()));
    throw InputError((place.empty() ? document.file + ": " : place) + refusal.what());
  }
}

}  // namespace

CaseReader::CaseReader(std::string text, std::string const& name,
                       std::vector<std::string> overrides, Case const* like, int ranks)
    : text_(std::move(text)),
      overrides_(std::move(overrides)),
      document_(read_document(text_, name, overrides_)) {
  document_.like = like;
  document_.ranks = ranks;
  if (like != nullptr && std::isfinite(like->method.longest_step_s)) {
    MethodSettings const& other = like->method;
    document_.longest_step_s = other.longest_step_s / (other.name == "rkl2" ? max_rkl2_span : 1.0);
  }
  // The order is fixed: read_initial() needs the grid, which is part of the problem.
  chosen_.said = keys_said(document_);
  chosen_.displaced = document_.displaced;
  chosen_.title = read_title(document_);
  chosen_.problem = read_problem(document_);
  chosen_.axis_files = axis_files(document_);
  chosen_.initial_file = read_initial(document_, chosen_.problem);
}

// The values in files must be valid before the search for the longest step, which evaluates
// conductivities and capacities at all points.
void CaseReader::check_on_all_ranks(mpi::Communicator const& ranks) {
  check_data(ranks, *document_.data, chosen_.problem.precision);
  bool const on_device =
      document_.section("run").text("device", "auto") != "cpu" && cuda_device_count() > 0;
  document_.uses_devices = !ranks.any(!on_device);
  std::int64_t const hosts = ranks.sum(std::int64_t{ranks.local_rank() == 0 ? 1 : 0});
  document_.ranks_on_hosts = {ranks.size(), static_cast<int>(hosts)};
  find_longest_step(ranks);
}

/// Computes the longest stable time step of the explicit method in a heterogeneous medium.
///
/// Each rank computes the largest finite-volume flux (the bound on the eigenvalues) in its share of
/// the grid. The reciprocal of the maximum over all ranks is the step. Errors are agreed on by all
/// ranks. All ranks agree on `limited`, since they have the same document.
void CaseReader::find_longest_step(mpi::Communicator const& ranks) {
  bool limited = false;
  double fastest = 0.0;
  rethrow_on_all_ranks(ranks, [&] {
    limited = has_limited_steps(document_, chosen_.problem);
    if (!limited) return;
    require_holdable(document_, chosen_.problem.grid);
    fastest = naming_values(chosen_, document_, [&] {
      return inverse_stable_step(chosen_.problem, ranks.rank(), ranks.size());
    });
  });
  if (limited) document_.longest_step_s = 1.0 / ranks.max(fastest);
}

// Output times depend on [output] as well as on the method's time step, so the steps are laid out
// after both. The fingerprint comes last, because it contains digests of values in files.
Case CaseReader::finish() {
  if (is_nonlinear(chosen_.problem)) {
    naming_values(chosen_, document_, [&] { check_nonlinear(chosen_.problem); });
  }
  chosen_.method =
      naming_values(chosen_, document_, [&] { return read_method(document_, chosen_.problem); });
  chosen_.output = read_output(document_, chosen_.problem, chosen_.title);
  read_times(document_, chosen_.method);
  settle_checks(document_, chosen_.method);
  chosen_.checkpoint = read_checkpoint(document_);
  chosen_.run = read_run(document_, chosen_.problem.grid);
  chosen_.probes = read_probes(document_, chosen_.problem);
  chosen_.stop = read_stop(document_, chosen_.problem, chosen_.method, chosen_.probes);
  // Results that depend on the whole case. The regions are listed for later measurements.
  chosen_.text = text_of(document_, text_, chosen_.title, overrides_);
  chosen_.regions = list_regions(document_, chosen_.problem);
  chosen_.data = *document_.data;
  chosen_.fingerprint = fingerprint_of(chosen_);
  return std::move(chosen_);
}

Case parse_case(std::string const& text, std::string const& name,
                std::vector<std::string> const& overrides) {
  return CaseReader(text, name, overrides).finish();
}

Case parse_case_like(Case const& other, std::string const& text, std::string const& name,
                     std::vector<std::string> const& overrides) {
  return CaseReader(text, name, overrides, &other).finish();
}

}  // namespace isotherm
