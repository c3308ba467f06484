#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run/output/output_sizes.hpp"
#include "io/files/descriptor.hpp"

// The output directory of a run. It is examined first, without a change, so that bad input leaves
// everything untouched; then it is locked against other runs and prepared. A run removes or
// replaces only files under isotherm's own names, and never one of its own inputs.
//
// All functions are serial. Only the root calls them, inside on_root().

namespace isotherm::app {

/// How a run treats an output directory that holds results.
enum class OldResults {
  refuse,  ///< refuse to run; nothing is overwritten
  keep,    ///< resume from them
  remove,  ///< remove them first; files that are not isotherm's are kept
};

/// The files that a run reads. It never removes or replaces them.
struct RunInputs {
  struct File {
    std::string named_by;  ///< the key or option, as in "[initial] file"
    std::filesystem::path path;
  };
  std::filesystem::path case_file;
  std::vector<File> others{};  ///< all but the case file
};

/// Returns the name, without extension, of the picture that shows the field of an iteration:
/// "u_000500".
std::string numbered_picture(std::int64_t iteration);

/// Returns the files in `directory` that a run writes (fields, series, pictures, tables, log,
/// case), and remains of such files from killed runs. Empty if there is no such directory. Serial.
std::vector<std::filesystem::path> results_in(std::filesystem::path const& directory);

/// Returns the files in the directory that a run will remove or replace, with their sizes. Serial.
OldFiles old_files(std::filesystem::path const& directory, OldResults old);

/// Returns true if `directory` holds a field that a run can resume from. Serial.
/// @throws InputError  if there is none, but a file that cannot be read and may have been one
bool can_be_resumed(std::filesystem::path const& directory);

/// Checks that a run may write to `directory`, without changing anything. Serial.
/// @throws InputError  if it is not a directory, cannot be written to, or is used by another run;
///                     if it holds results that may not be overwritten, inputs of the run, or
///                     folders under the names of results. The message explains how to proceed
void check_output_directory(std::filesystem::path const& directory, OldResults old,
                            RunInputs const& inputs);

/// An output directory that is ready for results.
struct OutputDirectory {
  /// Lock on the directory, which excludes other runs until it is closed or the process ends in any
  /// way. It has no effect on file systems without locks.
  Descriptor lock{};
  /// Names of half-written files of killed runs, which were removed.
  std::vector<std::string> remains{};
  /// True if the directory's case.toml is the case file itself and differs from the case as run.
  /// The case as run is then stored in the field files only.
  bool case_file_differs = false;
};

/// Creates, locks and cleans the directory, removes summary.json of an earlier run, and writes
/// `case_text` to case.toml, unless that is the case file itself. Serial.
/// @pre check_output_directory() accepted it.
/// @throws InputError  if it cannot be created, or another run writes to it
/// @throws Error       if it cannot be written to; some old results may then have been removed
[[nodiscard]] OutputDirectory prepare_output_directory(std::filesystem::path const& directory,
                                                       OldResults old, RunInputs const& inputs,
                                                       std::string const& case_text);

/// Checks that the open directory still has its path, before a file gets its final name in it.
/// Otherwise results would end up in another directory that has this path now. Serial.
/// @param directory  descriptor of the directory, opened at the start of the run
/// @throws Error  if the path leads to another directory, or to none
void require_in_place(Descriptor const& directory, std::filesystem::path const& path);

}  // namespace isotherm::app
