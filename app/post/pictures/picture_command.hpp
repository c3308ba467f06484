#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/post/pictures/look_changes.hpp"
#include "decomposition/ranks/mpi.hpp"

/// Pictures of stored fields.
///
///   PictureCommand command{{"run"}};
///   command.look.label = "Temperature, °C";
///   return make_pictures(ranks, command);     // run.png

namespace isotherm::app {

/// The options of `isotherm picture`.
struct PictureCommand {
  /// One or two files, or directories for their newest fields. With `series` one directory.
  std::vector<std::filesystem::path> inputs;
  /// The picture; by default NAME.png in the working directory. A series adds the iteration to it.
  std::optional<std::filesystem::path> output{};
  bool overwrite = false;
  bool series = false;      ///< a picture of each snapshot, with one range
  bool difference = false;  ///< of two fields: the second minus the first
  LookChanges look{};
  /// An expression of u, x, y, z and t to draw instead of u.
  std::optional<std::string> of{};
};

/// Draws the pictures and prints their names; returns exit_code::done. Collective.
/// @throws InputError  on every rank, if a file cannot be read or must not be written, or if the
///                     options do not fit the field
int make_pictures(mpi::Communicator const& ranks, PictureCommand const& command);

}  // namespace isotherm::app
