#include "jobs/read_case.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "io/together.hpp"

namespace isotherm {

namespace {

std::string contents_of(std::filesystem::path const& file) {
  std::error_code said_below;
  if (std::filesystem::is_directory(file, said_below)) {
    throw InputError(file.string() + " is a directory, not a case file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw InputError(file.string() + ": " + std::strerror(errno) +
                     " (`isotherm new laplace` prints a case to start from)");
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides) {
  std::string text;
  on_root(ranks, [&] { text = contents_of(file); });
  Case chosen = parse_case(ranks.broadcast(text), file.string(), overrides);
  if (chosen.initial_file) {
    chosen.initial_file->path = file.parent_path() / chosen.initial_file->path;
  }
  return chosen;
}

}  // namespace isotherm
