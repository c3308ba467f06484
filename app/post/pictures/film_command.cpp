#include "app/post/pictures/film_command.hpp"

#include <fmt/format.h>
#include <iostream>
#include <utility>
#include <vector>

#include "app/post/output_file.hpp"
#include "app/post/pictures/drawing.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/presence.hpp"
#include "io/picture/film/film.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t fewest_frames = 2;

fs::path output_of(FilmCommand const& command) {
  return command.output.value_or(command.directory / "film.gif");
}

/// Checks everything that can be checked before a frame is drawn. Root only. @throws InputError
void check(FilmCommand const& command) {
  fs::path const output = output_of(command);
  require_film_format(output);
  require_directory(command.directory, "needs the output directory of a run");
  require_folder(output);
  require_free(output, command.overwrite);
}

/// Returns the run's pictures if the film is made from them; else none. Root only.
std::vector<fs::path> pictures_to_join(FilmCommand const& command) {
  if (command.from_snapshots || command.of || command.look.needs_field()) return {};
  auto pictures = numbered_pictures(command.directory);
  return pictures.size() < fewest_frames ? std::vector<fs::path>() : pictures;
}

std::vector<std::string> joined_pictures(FilmCommand const& command,
                                         std::vector<fs::path> const& pictures) {
  ChangeFrame change;
  if (command.look.changes_drawing()) {
    change = [&](PictureOptions& options) { apply_drawing(command.look, options.look); };
  }
  return frames_of_pictures(pictures, change);
}

/// Draws the frames from snapshots. Collective. @returns  on the root
std::vector<std::string> drawn_snapshots(mpi::Communicator const& ranks,
                                         FilmCommand const& command) {
  auto const fields = snapshots_in(ranks, command.directory);
  bool const needs_fields = command.from_snapshots || command.of || command.look.needs_field();
  if (fields.size() < fewest_frames && needs_fields) {
    throw InputError(
        command.directory.string() +
        " has one snapshot; a film of another slice, box or expression needs at least two (run the "
        "case with [output] snapshot_every or snapshot_interval)");
  }
  if (fields.size() < fewest_frames) {
    throw InputError(
        command.directory.string() +
        " has one snapshot and no numbered pictures; a film needs at least two (run the case "
        "with [output] film = true, or with snapshot_every or snapshot_interval)");
  }
  std::vector<std::string> frames;
  draw_series(
      ranks, fields, {command.look, command.of},
      [&](fs::path const& /*field*/, std::string bytes) { frames.push_back(std::move(bytes)); });
  return frames;
}

}  // namespace

int make_film(mpi::Communicator const& ranks, FilmCommand const& command) {
  std::vector<fs::path> pictures;
  std::vector<std::string> frames;
  on_root(ranks, [&] {
    check(command);
    pictures = pictures_to_join(command);
    if (!pictures.empty()) frames = joined_pictures(command, pictures);
  });
  bool const has_pictures = !pictures.empty();
  if (!ranks.any(has_pictures)) frames = drawn_snapshots(ranks, command);
  on_root(ranks, [&] {
    fs::path const output = output_of(command);
    std::size_t const count = frames.size();
    PixelSize const size = write_film(output, std::move(frames), {command.frames_per_second, 1.0});
    std::cout << fmt::format("wrote {}: {} frames of {} x {} pixels from {}, {:g} a second\n",
                             visible(output.string()), count, size.width, size.height,
                             has_pictures ? "pictures" : "snapshots", command.frames_per_second);
  });
  return exit_code::done;
}

}  // namespace isotherm::app
