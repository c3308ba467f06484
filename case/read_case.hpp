#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "case/case.hpp"

namespace isotherm {

/// Parses a case from the text of `file`. Paths in the case are relative to that file. Not
/// collective.
/// @throws InputError  as parse_case()
Case parse_case_file(std::string const& text, std::filesystem::path const& file,
                     std::vector<std::string> const& overrides);

/// Reads and checks a case file on all ranks. Collective.
///
/// Rank 0 reads the file and broadcasts its text, which all ranks parse. The ranks check values in
/// files together. The file name "-" means standard input of rank 0; paths are then relative to the
/// working directory. All ranks return equal cases.
///
///     Case const chosen = read_case(ranks, "plate.toml", {"method.tolerance=1e-8"});
///
/// @throws InputError  on every rank
Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides);

}  // namespace isotherm
