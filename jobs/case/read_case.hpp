#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"

namespace isotherm {

/// Reads and checks a case file: the root reads, all ranks parse the same text. Collective.
/// @throws InputError  on every rank
Case read_case(mpi::Communicator const& ranks, std::filesystem::path const& file,
               std::vector<std::string> const& overrides);

}  // namespace isotherm
