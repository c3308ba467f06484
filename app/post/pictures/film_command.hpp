#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/post/pictures/look_changes.hpp"
#include "decomposition/ranks/mpi.hpp"

/// Films of a run.
///
///   FilmCommand command{"run"};
///   command.output = "heating.mp4";
///   return make_film(ranks, command);

namespace isotherm::app {

/// The options of `isotherm film`.
struct FilmCommand {
  std::filesystem::path directory;                ///< of the run
  std::optional<std::filesystem::path> output{};  ///< by default film.gif in the directory
  bool overwrite = false;
  bool from_snapshots = false;  ///< draws the snapshots although there are pictures
  double frames_per_second = 20.0;
  LookChanges look{};
  /// An expression of u, x, y, z and t to draw instead of u.
  std::optional<std::string> of{};
};

/// Writes the film and prints its name; returns exit_code::done. Collective.
///
/// The frames are the numbered pictures of the run, drawn again if their ranges differ; or its
/// snapshots, if there are no such pictures, or if the options need the field.
/// @throws InputError  on every rank, if there are less than two frames, or as
/// require_film_format()
int make_film(mpi::Communicator const& ranks, FilmCommand const& command);

}  // namespace isotherm::app
