#include "jobs/case.hpp"

#include <algorithm>

#include "jobs/case_parts.hpp"
#include "jobs/case_schema.hpp"
#include "jobs/toml_overrides.hpp"
#include "kernels/error.hpp"

namespace isotherm {
namespace {

CaseDocument read_document(std::string const& text, std::string const& file,
                           std::vector<std::string> const& overrides) {
  CaseDocument document{parse_toml(text, file), file};
  if (document.root.entries.empty()) {
    throw InputError(file + ": the case is empty (isotherm new laplace prints one to start from)");
  }
  for (std::string const& assignment : overrides) {
    apply_override(document.root, assignment);
  }
  check_keys(document.root, case_keys());
  return document;
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
  read_source(document, problem);
  check_boundary_values(document, problem);
  return problem;
}

/// The text as it stands; with overrides, the values as they are after them.
std::string text_of(CaseDocument const& document, std::string const& text,
                    std::vector<std::string> const& overrides) {
  if (overrides.empty()) {
    return text;
  }
  std::string heading = "# as run:";
  for (std::string const& assignment : overrides) {
    heading += ' ' + override_position(assignment);
  }
  return heading + '\n' + to_toml(document.root);
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
  chosen.checkpoint = read_checkpoint(document);
  chosen.run = read_run(document, chosen.problem.grid);
  chosen.text = text_of(document, text, overrides);
  chosen.fingerprint = fingerprint_of(chosen);
  return chosen;
}

}  // namespace isotherm
