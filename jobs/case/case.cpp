#include "jobs/case/case.hpp"

#include <algorithm>

#include "jobs/basics/wording.hpp"
#include "jobs/case/case_constants.hpp"
#include "jobs/case/case_parts.hpp"
#include "jobs/case/case_schema.hpp"
#include "jobs/case/toml_overrides.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

CaseDocument read_document(std::string const& text, std::string const& file,
                           std::vector<std::string> const& overrides) {
  TomlTable written = parse_toml(text, file);
  if (written.entries.empty()) {
    throw InputError(file + ": the case is empty (isotherm new laplace prints one to start from)");
  }
  for (std::string const& assignment : overrides) {
    apply_override(written, assignment);
  }
  check_names(written, case_keys());
  Constants constants = read_constants(written);
  TomlTable root = with_numbers(written, case_keys(), constants);
  check_keys(root, case_keys());
  return {std::move(root), file, std::move(written), std::move(constants)};
}

std::string read_title(CaseDocument const& document) {
  std::string const stem = std::filesystem::path(document.file).stem().string();
  return CaseSection(document.root, "").text("title", stem);
}

Problem read_problem(CaseDocument const& document) {
  Problem problem;
  problem.grid.dimension = read_dimension(document);
  read_equation(document, problem);
  read_boundary(document, problem);
  read_grid(document, problem);
  read_body(document, problem);
  read_patches(document, problem);
  check_uniqueness(document, problem);
  read_source(document, problem);
  check_boundary_values(document, problem);
  return problem;
}

/// Makes a path in a table that is relative to the case file one that holds from any folder.
/// Returns false where there is none, or none that is relative.
bool anchor_path(CaseDocument& document, std::vector<std::string> const& key) {
  TomlTable* table = &document.written;
  TomlEntry* file = nullptr;
  for (std::string const& name : key) {
    file = table == nullptr ? nullptr : table->find(name);
    table = file == nullptr ? nullptr : file->value.as<TomlTable>();
  }
  if (file == nullptr) {
    return false;
  }
  std::filesystem::path const path = file->value.get<std::string>();
  auto const folder = std::filesystem::path(document.file).parent_path();
  file->value.data = std::filesystem::absolute(folder / path).lexically_normal().string();
  return path.is_relative();
}

/// Gives the case the title that it has by the name of its file. Returns false where it has one.
bool name_title(CaseDocument& document, std::string const& title) {
  auto& entries = document.written.entries;
  if (document.written.find("title") != nullptr) {
    return false;
  }
  entries.insert(entries.begin(), {"title", {title}});
  return true;
}

/// The text as it stands, where that says all; else the values as they are in effect.
std::string text_of(CaseDocument document, std::string const& text, std::string const& title,
                    std::vector<std::string> const& overrides) {
  bool const file_anchored = anchor_path(document, {"initial", "file"});
  bool const table_anchored = anchor_path(document, {"run", "plan_table"});
  std::string axes_anchored;
  for (char const* const axis : {"x", "y", "z"}) {
    if (anchor_path(document, {"grid", axis, "file"})) {
      axes_anchored += std::string(" [grid.") + axis + "] file by its absolute path";
    }
  }
  bool const titled = name_title(document, title);
  if (overrides.empty() && !file_anchored && !table_anchored && axes_anchored.empty() && !titled) {
    return text;
  }
  std::string heading = "# as run:";
  for (std::string const& assignment : overrides) {
    heading += ' ' + override_position(assignment);
  }
  heading += file_anchored ? " [initial] file by its absolute path" : "";
  heading += table_anchored ? " [run] plan_table by its absolute path" : "";
  heading += axes_anchored;
  heading += titled ? " title from the file's name" : "";
  return heading + '\n' + to_toml(document.written);
}

using KeysSaid = std::map<std::string, std::string>;

/// The keys of the table at `path` in [section]. A value that an override has set stands in the
/// place already.
void add_said(KeysSaid& said, TomlTable const& table, std::string const& section,
              std::string const& path) {
  for (TomlEntry const& entry : table.entries) {
    bool const overridden = entry.where.starts_with("--");
    said[path + '.' + entry.key] = entry.where + ": " + key_name(section, entry.key) +
                                   (overridden ? "" : " = " + one_line(to_toml(entry.value)));
  }
}

/// See Case::said.
KeysSaid keys_said(CaseDocument const& document) {
  KeysSaid said;
  for (auto const& [key, value, where] : document.written.entries) {
    if (auto const* const table = value.as<TomlTable>()) add_said(said, *table, key, key);
    auto const* const list = value.as<TomlValue::List>();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      add_said(said, (*list)[i].get<TomlTable>(), key, key + '.' + std::to_string(i));
    }
  }
  return said;
}

}  // namespace

Case parse_case(std::string const& text, std::string const& name,
                std::vector<std::string> const& overrides) {
  CaseDocument const document = read_document(text, name, overrides);
  Case chosen;
  chosen.title = read_title(document);
  chosen.problem = read_problem(document);
  chosen.initial_file = read_initial(document, chosen.problem);
  chosen.method = read_method(document, chosen.problem);
  chosen.output = read_output(document, chosen.problem, chosen.title);
  read_times(document, chosen.method);
  chosen.checkpoint = read_checkpoint(document);
  chosen.run = read_run(document, chosen.problem.grid);
  chosen.probes = read_probes(document, chosen.problem);
  chosen.text = text_of(document, text, chosen.title, overrides);
  chosen.fingerprint = fingerprint_of(chosen);
  chosen.said = keys_said(document);
  return chosen;
}

}  // namespace isotherm
