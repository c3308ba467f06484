#include "app/post/pictures/picture_command.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include "app/post/field_at.hpp"
#include "app/post/output_file.hpp"
#include "app/post/pictures/drawing.hpp"
#include "app/post/pictures/stored_field.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/colour_map.hpp"
#include "io/picture/film/film.hpp"
#include "io/picture/picture_look.hpp"
#include "io/picture/range.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Returns the picture's path: --output, or the name of the first input.
fs::path output_of(PictureCommand const& command) {
  if (command.output) return *command.output;
  fs::path name = command.inputs.front().lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  // "." and ".." have no name of their own.
  if (name.filename() == "." || name.filename() == "..") name = fs::absolute(name).filename();
  if (name.empty() || name.stem() == "." || name.stem() == "..") name = "u";
  return name.filename().replace_extension("png");
}

/// Checks the numbers of inputs. @throws InputError
void check_inputs(PictureCommand const& command) {
  std::size_t const count = command.inputs.size();
  if (command.difference && count != 2) {
    throw InputError("--difference: give two fields (the second minus the first is drawn)");
  }
  if (command.series && count != 1) {
    throw InputError("--series: give one directory of snapshots");
  }
  if (count > 2) {
    throw InputError(
        "give one field, or two to draw them next to each other; for all snapshots of "
        "a run give its directory and --series");
  }
}

/// Writes a picture and prints its name. Root only.
void write(fs::path const& output, std::string const& bytes) {
  write_file_atomically(output, bytes);
  std::cout << "wrote " << visible(output.string()) << "\n";
}

/// The newest fields of the inputs, on every rank. Collective.
std::vector<std::string> newest_fields(mpi::Communicator const& ranks,
                                       PictureCommand const& command) {
  std::vector<std::string> paths;
  on_root(ranks, [&] {
    for (fs::path const& input : command.inputs) paths.push_back(field_at(input).string());
  });
  return ranks.broadcast(paths);
}

/// Draws one field.
void draw_one(mpi::Communicator const& ranks, PictureCommand const& command,
              DrawingOrder const& order, fs::path const& output) {
  StoredField const field(ranks, newest_fields(ranks, command).front());
  PictureOptions const options = options_for(ranks, field, order);
  auto const values = field.values(ranks, order.of);
  FieldViews const sampled =
      sampled_views(ranks, field.subdomain(), values.data(), options, field.excluded());
  on_root(ranks, [&] { write(output, picture_bytes(sampled.views, sampled.values, options)); });
}

/// Places the views of two fields in turn, so that equal slices are neighbours.
std::vector<View> interleaved(std::vector<View> first, std::vector<View> second) {
  std::vector<View> all;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) all.push_back(std::move(first[i]));
    if (i < second.size()) all.push_back(std::move(second[i]));
  }
  return all;
}

/// Names the views, for their captions.
void name_views(std::vector<View>& views, std::string const& name) {
  for (View& view : views) view.name = name;
}

/// Draws two fields next to each other, with one colour bar.
void draw_both(mpi::Communicator const& ranks, PictureCommand const& command,
               DrawingOrder const& order, fs::path const& output) {
  auto const paths = newest_fields(ranks, command);
  std::vector<FieldViews> sampled;
  PictureOptions options;
  for (std::size_t i = 0; i < 2; ++i) {
    StoredField const field(ranks, paths[i]);
    PictureOptions const own = options_for(ranks, field, order);
    auto const values = field.values(ranks, order.of);
    sampled.push_back(
        sampled_views(ranks, field.subdomain(), values.data(), own, field.excluded()));
    name_views(sampled.back().views, command.inputs[i].string());
    // The functions of the options are not used after sampling.
    if (i == 0) {
      options = own;
      options.title = field.title(false);
    }
  }
  Range const values =
      options.look.values ? *options.look.values : joined(sampled[0].values, sampled[1].values);
  on_root(ranks, [&] {
    auto const views = interleaved(std::move(sampled[0].views), std::move(sampled[1].views));
    write(output, picture_bytes(views, values, options));
  });
}

/// True if no value has the opposite sign of the others, except for rounding.
bool has_one_sign(Range const& values) {
  double const below = std::max(-values.lower, 0.0);
  double const above = std::max(values.upper, 0.0);
  return std::min(below, above) <= 1e-6 * std::max(below, above);
}

/// Chooses the colours of a difference: from 0 if its values have one sign, else diverging from 0.
void choose_colours(PictureCommand const& command, PictureLook& look, Range& values) {
  bool const one_sign = has_one_sign(values);
  std::string const chosen = one_sign ? std::string(default_colour_map) : "coolwarm";
  look.colour_map = command.look.colour_map.value_or(chosen);
  if (command.look.values) return;
  double const largest = std::max(std::abs(values.lower), std::abs(values.upper));
  bool const diverges = !one_sign || look.colour_map.starts_with("coolwarm");
  bool const negative = -values.lower > values.upper;
  values = {diverges || negative ? -largest : 0.0, diverges || !negative ? largest : 0.0};
}

/// Draws the second field minus the first.
void draw_difference(mpi::Communicator const& ranks, PictureCommand const& command,
                     DrawingOrder const& order, fs::path const& output) {
  auto const paths = newest_fields(ranks, command);
  StoredField const first(ranks, paths[0]);
  StoredField const second(ranks, paths[1]);
  if (first.info().grid != second.info().grid) {
    throw InputError("--difference: the grids of " + paths[0] + " and " + paths[1] +
                     " differ (isotherm resample " + paths[1] + " --like " + paths[0] +
                     " interpolates a field to another grid)");
  }
  auto values = second.values(ranks, order.of);
  auto const others = first.values(ranks, order.of);
  std::ranges::transform(values, others, values.begin(), std::minus{});
  PictureOptions options = options_for(ranks, first, order);
  options.title = command.inputs[1].string() + " minus " + command.inputs[0].string();
  // Label, colours, range and arrows of the case are those of the field itself.
  options.look.arrows = command.look.arrows;
  if (!command.look.label) options.look.label = "difference";
  options.look.values = command.look.values;
  FieldViews sampled =
      sampled_views(ranks, first.subdomain(), values.data(), options, first.excluded());
  choose_colours(command, options.look, sampled.values);
  on_root(ranks, [&] { write(output, picture_bytes(sampled.views, sampled.values, options)); });
}

/// Returns "P_000500.png" for the field "u_000500.vtkhdf" and the output "P.png".
fs::path numbered(fs::path const& output, fs::path const& field) {
  std::string const name = field.stem().string();
  fs::path path = output;
  return path.replace_filename(output.stem().string() + name.substr(name.rfind('_')) +
                               output.extension().string());
}

/// Draws all snapshots of a directory.
void draw_all(mpi::Communicator const& ranks, PictureCommand const& command,
              DrawingOrder const& order, fs::path const& output) {
  auto const fields = snapshots_in(ranks, command.inputs.front());
  on_root(ranks, [&] {
    for (std::string const& field : fields) {
      require_free(numbered(output, field), command.overwrite);
    }
  });
  draw_series(ranks, fields, order, [&](fs::path const& field, std::string const& bytes) {
    write(numbered(output, field), bytes);
  });
}

}  // namespace

int make_pictures(mpi::Communicator const& ranks, PictureCommand const& command) {
  DrawingOrder order{command.look, command.of};
  fs::path const output = output_of(command);
  on_root(ranks, [&] {
    check_inputs(command);
    (void)require_picture_format(output);
    require_folder(output);
    if (!command.series) require_free(output, command.overwrite);
  });
  order.format = require_picture_format(output);
  if (command.series) {
    draw_all(ranks, command, order, output);
  } else if (command.inputs.size() == 1) {
    draw_one(ranks, command, order, output);
  } else if (command.difference) {
    draw_difference(ranks, command, order, output);
  } else {
    draw_both(ranks, command, order, output);
  }
  return exit_code::done;
}

}  // namespace isotherm::app
