#include "jobs/case/read_case.hpp"

#include "decomposition/ranks/together.hpp"
#include "jobs/basics/text_file.hpp"

namespace isotherm {

Case parse_case_file(std::string const& text, std::filesystem::path const& file,
                     std::vector<std::string> const& overrides) {
  Case chosen = parse_case(text, file.string(), overrides);
  if (chosen.initial_file) {
    chosen.initial_file->path = file.parent_path() / chosen.initial_file->path;
  }
  if (chosen.run.plan_table) {
    chosen.run.plan_table = file.parent_path() / *chosen.run.plan_table;
  }
  return chosen;
}

Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides) {
  std::string text;
  on_root(ranks, [&] {
    text =
        read_text_file(file, "a case file", "`isotherm new laplace` prints a case to start from");
  });
  return parse_case_file(ranks.broadcast(text), file, overrides);
}

}  // namespace isotherm
