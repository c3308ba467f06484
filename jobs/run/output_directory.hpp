#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"
#include "jobs/run/output_sizes.hpp"

namespace isotherm {

/// How a run may treat an output directory that holds results.
enum class OldResults {
  refuse,  ///< nothing is overwritten
  keep,    ///< the run goes on from them
  remove,  ///< they are removed first, what is not isotherm's stays
};

/// The files that a run reads, which it never removes or replaces.
struct RunInputs {
  struct File {
    std::string named_by;  ///< "[initial] file"
    std::filesystem::path path;
  };
  std::filesystem::path case_file;
  std::vector<File> others{};
};

/// What a picture of the field of an iteration on the way is called, but for its ending.
std::string numbered_picture(std::int64_t iteration);

/// The files in `directory` that a run writes (fields, series, pictures, tables, log, case), and
/// what killed runs left of such; none where there is no such directory. Serial.
std::vector<std::filesystem::path> results_in(std::filesystem::path const& directory);

/// What a run with these files in its directory will remove or replace. Serial.
OldFiles old_files(std::filesystem::path const& directory, OldResults old);

/// Whether `directory` holds a field that a run can go on from. Serial.
/// @throws InputError  where there is none, but a file that cannot be read and may have been one
bool can_be_resumed(std::filesystem::path const& directory);

/// Touches nothing. @throws InputError  where `directory` is not a directory, or holds what may not
///                                      be touched: results, files of the run's own input, folders
///                                      and the like under the names of results. Says what to do.
///                                      Serial.
void check_output_directory(std::filesystem::path const& directory, OldResults old,
                            RunInputs const& inputs);

/// A directory to write results to.
struct OutputDirectory {
  /// On the directory itself: keeps other runs away from it until it is closed, or its process ends
  /// in whatever way; on file systems that know no locks it does not.
  Descriptor lock{};
  std::vector<std::string> remains{};  ///< names of what killed runs left half written; removed
  /// The case file itself is the directory's case.toml and says something else than the case as it
  /// is run, which therefore stands in the fields' files only.
  bool case_file_differs = false;
};

/// Makes the directory ready, without the summary.json of an earlier run, and writes `case_text` to
/// its case.toml, unless that is the case file itself. Serial.
/// @throws InputError  where it cannot be made, or another run is writing to it
/// @throws Error       where it cannot be written to; some of its results may be gone by then
[[nodiscard]] OutputDirectory prepare_output_directory(std::filesystem::path const& directory,
                                                       OldResults old, RunInputs const& inputs,
                                                       std::string const& case_text);

/// To be asked before a file takes its name in the directory, which is open: nothing goes to
/// another one that has been given its path since. Serial. @throws Error
void require_in_place(Descriptor const& directory, std::filesystem::path const& path);

}  // namespace isotherm
