#include "case/read_case.hpp"

#include <optional>

#include "case/basics/text/text_file.hpp"
#include "case/case_reader.hpp"
#include "decomposition/ranks/collective_errors.hpp"

namespace isotherm {
namespace {

/// Makes the paths in a case relative to the working directory instead of the case file. Paths of
/// values in files and of coordinates are resolved where they are read, so they are not changed
/// here.
Case with_paths_of(Case chosen, std::filesystem::path const& file) {
  if (chosen.initial_file) {
    chosen.initial_file->path = file.parent_path() / chosen.initial_file->path;
  }
  if (chosen.run.plan_table) {
    chosen.run.plan_table = file.parent_path() / *chosen.run.plan_table;
  }
  return chosen;
}

/// Returns the text of a case file, or of standard input for "-". Standard input can be read only
/// once, so its text is kept for later calls.
std::string text_of_case(std::filesystem::path const& file) {
  std::string const what = "a case file";
  if (file == "-") {
    static std::string const text = read_standard_input(what);
    return text;
  }
  return read_text_file(file, what, "`isotherm new laplace` prints a case to start from");
}

}  // namespace

Case parse_case_file(std::string const& text, std::filesystem::path const& file,
                     std::vector<std::string> const& overrides) {
  return with_paths_of(parse_case(text, file.string(), overrides), file);
}

Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides) {
  // 1. Rank 0 reads the text. 2. All ranks parse it. 3. All ranks check values in files together.
  // 4. Each rank finishes its copy of the case. Errors are agreed on after each step.
  std::string text;
  on_root(ranks, [&] { text = text_of_case(file); });
  text = ranks.broadcast(text);
  std::optional<CaseReader> reader;
  rethrow_on_all_ranks(
      ranks, [&] { reader.emplace(text, file.string(), overrides, nullptr, ranks.size()); });
  reader->check_on_all_ranks(ranks);
  Case chosen;
  rethrow_on_all_ranks(ranks, [&] { chosen = with_paths_of(reader->finish(), file); });
  return chosen;
}

}  // namespace isotherm
