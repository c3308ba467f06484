#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// Reads a case from the text of `file`, which the paths in it are relative to.
/// @throws InputError  as parse_case()
Case parse_case_file(std::string const& text, std::filesystem::path const& file,
                     std::vector<std::string> const& overrides);

/// Reads and checks a case file: the root reads, all ranks parse the same text. The file "-" is the
/// root's standard input; paths in it are relative to the working directory. Collective.
/// @throws InputError  on every rank
Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides);

}  // namespace isotherm
