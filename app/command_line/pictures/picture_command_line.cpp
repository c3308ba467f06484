#include "app/command_line/pictures/picture_command_line.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/post/pictures/film_command.hpp"
#include "app/post/pictures/picture_command.hpp"
#include "case/basics/text/wording.hpp"
#include "io/picture/picture_limits.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// The words of the options on the look of pictures, before they are interpreted.
struct LookWords {
  std::vector<std::string> slices{};
  std::optional<std::string> range{}, zoom{}, label{}, colour_map{}, length_unit{}, flux_unit{};
  std::optional<double> length_scale{};
  std::optional<int> contour_lines{}, width{};
  bool contours = false;
  bool arrows = false;

  /// Returns the unit of length. @throws InputError  if it is not known
  [[nodiscard]] LengthUnit length() const {
    auto const unit = length_unit_of(*length_unit, length_scale);
    if (unit) return *unit;
    throw InputError("--length-unit " + one_line(*length_unit, 20) + ": known are " +
                     known_length_units() +
                     "; for another one add --length-scale, the number of these units in a length "
                     "of 1 of the grid");
  }

  /// Interprets the words. @throws InputError
  [[nodiscard]] LookChanges resolved() const {
    LookChanges changes;
    changes.planes = planes_in(slices);
    if (range) changes.values = range_in("--range", *range);
    if (zoom) changes.zoom = numbers_in("--zoom", *zoom);
    if (contours) changes.contours = 0;
    if (contour_lines) changes.contours = contour_lines;
    changes.label = label;
    changes.colour_map = colour_map;
    if (colour_map && !is_colour_map(*colour_map)) {
      throw InputError("--colour-map " + one_line(*colour_map, 40) + ": known are " +
                       known_colour_maps());
    }
    changes.width = width;
    if (length_unit) changes.length = length();
    changes.flux_unit = flux_unit;
    changes.arrows = arrows;
    return changes;
  }
};

/// Returns "1 to 100".
std::string words_of(PictureLimit const& limit) {
  return std::to_string(limit.smallest) + " to " + std::to_string(limit.largest);
}

/// Adds the options that change how pictures look.
void add_look(CLI::App& command, LookWords& words, std::optional<std::string>& of) {
  command
      .add_option("--slice", words.slices,
                  "In 3D a plane to draw, e.g. z=0.5; may be repeated, once for each axis")
      ->type_name("AXIS=PLACE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--range", words.range,
                  "Values at the ends of the colour bar; default: those of the fields")
      ->type_name("A,B");
  CLI::Option* const contours = command.add_flag(
      "--contours", words.contours, "Lines of equal value, one at each tick of the colour bar");
  command
      .add_option("--contour-lines", words.contour_lines,
                  "Lines of equal value at round steps, as near to this number as they allow; " +
                      words_of(contour_counts))
      ->type_name("N")
      ->check(CLI::Range(contour_counts.smallest, contour_counts.largest).description(""))
      ->excludes(contours);
  command.add_option("--label", words.label, "Text along the colour bar, e.g. 'Temperature, K'")
      ->type_name("TEXT");
  command.add_option("--colour-map", words.colour_map, "Colours: " + known_colour_maps())
      ->type_name("NAME");
  CLI::Option* const unit =
      command
          .add_option("--length-unit", words.length_unit,
                      "Unit of the axes, for a grid in metres: " + known_length_units())
          ->type_name("UNIT");
  command
      .add_option("--length-scale", words.length_scale,
                  "How many of these units a length of 1 of the grid has; 1 if the grid is in them")
      ->type_name("NUMBER")
      ->check(CLI::Range(1e-30, 1e30).description(""))
      ->check(no_nan())
      ->needs(unit);
  command.add_flag("--arrows", words.arrows,
                   "Arrows of the flux density in the plane; of -grad u if the conductivity is not "
                   "known");
  command
      .add_option("--flux-unit", words.flux_unit, "Unit in the legend of the arrows, e.g. 'W/m^2'")
      ->type_name("UNIT");
  command
      .add_option("--zoom", words.zoom, "The part to draw: the lower and upper end of each axis")
      ->type_name("X0,X1[,Y0,Y1[,Z0,Z1]]");
  command
      .add_option("--width", words.width,
                  "Width of the picture in pixels; " + words_of(picture_widths))
      ->type_name("PIXELS")
      ->check(CLI::Range(picture_widths.smallest, picture_widths.largest).description(""));
  command
      .add_option("--of", of, "An expression of u, x, y, z and t to draw instead of u, e.g. u-273")
      ->type_name("EXPRESSION");
}

/// The words of `picture`, before they are interpreted.
struct PictureWords {
  PictureCommand command{};
  LookWords look{};

  [[nodiscard]] PictureCommand resolved() const {
    PictureCommand all = command;
    all.look = look.resolved();
    return all;
  }
};

/// Adds the command `picture`. All ranks read; the root draws.
///
///     isotherm picture run --slice z=0.5 --contours --output middle.png
///     isotherm picture coarse fine --difference
void add_picture(CLI::App& app, Action& chosen) {
  auto const words = std::make_shared<PictureWords>();
  CLI::App* const picture = app.add_subcommand(
      "picture", "Draw stored fields: one, two next to each other, or all snapshots of a run");
  picture
      ->add_option("FILE", words->command.inputs,
                   "A snapshot, or a directory: its newest snapshot; or two of them")
      ->type_name("")
      ->required();
  picture
      ->add_option("-o,--output", words->command.output,
                   "The picture to write (.png, .svg or .pdf); default: the name of FILE")
      ->type_name("NAME");
  picture->add_flag("--overwrite", words->command.overwrite, "Replace the picture if it exists");
  CLI::Option* const difference =
      picture->add_flag("--difference", words->command.difference,
                        "Draw the second field minus the first, which has the same grid");
  picture
      ->add_flag("--series", words->command.series,
                 "Draw all snapshots of a directory with one range, as NAME_000500.png")
      ->excludes(difference);
  add_look(*picture, words->look, words->command.of);
  picture->callback([words, &chosen] {
    chosen = [command = words->resolved()](mpi::Communicator const& ranks) {
      return make_pictures(ranks, command);
    };
  });
}

/// The words of `film`, before they are interpreted.
struct FilmWords {
  FilmCommand command{};
  LookWords look{};

  [[nodiscard]] FilmCommand resolved() const {
    FilmCommand all = command;
    all.look = look.resolved();
    return all;
  }
};

/// Adds the command `film`.
///
///     isotherm film run -o heating.mp4
void add_film(CLI::App& app, Action& chosen) {
  auto const words = std::make_shared<FilmWords>();
  CLI::App* const film = app.add_subcommand(
      "film", "Join the pictures of a run, or draw its snapshots, as a film with one colour bar");
  film->add_option("DIRECTORY", words->command.directory, "The output directory of a run")
      ->type_name("")
      ->required();
  film->add_option("-o,--output", words->command.output,
                   "The film: .gif or .png (animated), or .mp4, .webm, .mov, .mkv by the program "
                   "ffmpeg; default: film.gif in the directory")
      ->type_name("NAME");
  film->add_flag("--overwrite", words->command.overwrite, "Replace the film if it exists");
  film->add_option("--fps", words->command.frames_per_second, "Frames per second; 0.1 to 60")
      ->type_name("N")
      ->check(CLI::Range(0.1, 60.0).description(""))
      ->check(no_nan())
      ->capture_default_str();
  film->add_flag("--snapshots", words->command.from_snapshots,
                 "Draw the snapshots, even if there are pictures; options that need the field do "
                 "the same");
  add_look(*film, words->look, words->command.of);
  film->callback([words, &chosen] {
    chosen = [command = words->resolved()](mpi::Communicator const& ranks) {
      return make_film(ranks, command);
    };
  });
}

}  // namespace

void add_picture_commands(CLI::App& app, Action& chosen) {
  add_picture(app, chosen);
  add_film(app, chosen);
}

}  // namespace isotherm::app
