#pragma once

#include <filesystem>
#include <vector>

#include "io/descriptor.hpp"

namespace isotherm {

/// How a run may treat an output directory that holds results.
enum class OldResults {
  refuse,  ///< nothing is overwritten
  keep,    ///< the run goes on from them
  remove,  ///< they are removed first, what is not isotherm's stays
};

/// The files in `directory` that a run writes (fields, series, pictures, tables, log, case); none
/// where there is no such directory. Serial.
std::vector<std::filesystem::path> results_in(std::filesystem::path const& directory);

/// Bytes in those files.
double bytes_of(std::vector<std::filesystem::path> const& files);

/// Touches nothing. @throws InputError  where `directory` is not a directory, or holds results that
///                                      may not be touched: says what to do. Serial.
void check_output_directory(std::filesystem::path const& directory, OldResults old);

/// Makes the directory ready, without the summary.json of an earlier run, and writes `case_text` to
/// its case.toml. Serial.
/// @return             keeps other runs away from the directory until it is closed, or its process
///                     ends in whatever way; on file systems that know no locks it does not
/// @throws InputError  where it cannot be made or written to, or another run is writing to it
[[nodiscard]] Descriptor prepare_output_directory(std::filesystem::path const& directory,
                                                  OldResults old, std::string const& case_text);

}  // namespace isotherm
