#include "app/command_line/field_command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/choices.hpp"
#include "app/post/fields/combine.hpp"
#include "app/post/fields/project.hpp"
#include "app/post/fields/resample.hpp"
#include "app/post/fields/smooth.hpp"
#include "case/basics/text/csv_table.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// Adds the options that name the output.
void add_output(CLI::App& command, FieldFiles& files) {
  command
      .add_option("-o,--output", files.output,
                  "The file to write, together with a picture NAME.png")
      ->type_name("NAME.vtkhdf")
      ->required();
  command.add_flag("--overwrite", files.overwrite, "Replace the output if it exists");
}

/// Adds the argument and the options that the commands on one field share: input, output, device.
void add_field_files(CLI::App& command, FieldFiles& files, DeviceChoice& device) {
  command.add_option("FILE", files.input, "A snapshot, or a directory: its newest snapshot")
      ->type_name("")
      ->required();
  add_output(command, files);
  add_device(command, device, "The device to compute on");
}

/// Adds --edges: the boundary treatment of filters and interpolation.
void add_edges(CLI::App& command, std::optional<EdgeMode>& edge_mode, std::string const& what) {
  command.add_option("--edges", edge_mode, what)
      ->type_name("wrap|clamp|mirror|zero")
      ->transform(one_of<EdgeMode>({{"wrap", EdgeMode::wrap},
                                    {"clamp", EdgeMode::clamp},
                                    {"mirror", EdgeMode::mirror},
                                    {"zero", EdgeMode::zero}}));
}

/// Adds the command `smooth`: a Gaussian, a box, or weights from a file.
///
///     isotherm smooth u.vtkhdf --width 0.05 --output smooth.vtkhdf
void add_smooth(CLI::App& app, Action& chosen) {
  auto const options = std::make_shared<SmoothOptions>();
  CLI::App* const smooth_app = app.add_subcommand(
      "smooth", "Replace each value of a field by the weighted mean of its neighbours");
  add_field_files(*smooth_app, options->files, options->device);
  CLI::Option* const width =
      smooth_app
          ->add_option("--width", options->width,
                       "Standard deviation of a Gaussian, or with --box the width of the box, in "
                       "the grid's unit of length")
          ->type_name("W");
  CLI::Option* const box =
      smooth_app->add_flag("--box", options->box, "Equal weights instead of a Gaussian");
  smooth_app
      ->add_option(
          "--weights", options->weights,
          "A text file with an odd number of weights, at most 63, to apply along each axis; or "
          "with a table of at most 63 rows of weights, in 3D in planes separated by blank lines")
      ->type_name("TEXTFILE")
      ->excludes(width)
      ->excludes(box);
  add_edges(*smooth_app, options->edge_mode,
            "The values beyond the outermost points; default: wrap on periodic axes and mirror on "
            "others");
  smooth_app->callback([options, &chosen] {
    chosen = [options](mpi::Communicator const& ranks) { return smooth(ranks, *options); };
  });
}

/// Adds the command `project`: integrals, means and extrema along an axis.
///
///     isotherm project u.vtkhdf --axis z --by mean --of "exp(u)" --output mean.vtkhdf
///     isotherm project u.vtkhdf --axis x --running --output running.vtkhdf
void add_project(CLI::App& app, Action& chosen) {
  auto const options = std::make_shared<ProjectOptions>();
  CLI::App* const project_app = app.add_subcommand(
      "project",
      "Reduce a field by one dimension: integral, mean, sum, maximum or minimum along an axis");
  add_field_files(*project_app, options->files, options->device);
  project_app->add_option("--axis", options->axis, "The axis along which values are combined")
      ->type_name("x|y|z")
      ->required()
      ->transform(one_of<int>({{"x", 0}, {"y", 1}, {"z", 2}}));
  project_app
      ->add_option("--by", options->projection,
                   "How values are combined; default: integral (by the trapezoidal rule)")
      ->type_name("integral|mean|sum|max|min")
      ->transform(one_of<Projection>({{"integral", Projection::integral},
                                      {"mean", Projection::mean},
                                      {"sum", Projection::sum},
                                      {"max", Projection::maximum},
                                      {"min", Projection::minimum}}));
  project_app->add_flag("--running", options->running,
                        "Keep all points: each gets the value of its line from the first point to "
                        "it");
  project_app
      ->add_option("--of", options->of,
                   "An expression of u, x, y, z and t to use instead of u, as in \"exp(u)\"")
      ->type_name("EXPRESSION");
  project_app->callback([options, &chosen] {
    chosen = [options](mpi::Communicator const& ranks) { return project(ranks, *options); };
  });
}

/// Parses a shift such as "0.5,-1" or "0.5,-1,2", in the grid's unit of length. The z component of
/// a shift of two numbers is 0. @throws InputError  if it is not valid
PerAxis<double> shift_in(std::string const& text) {
  PerAxis<double> shift{};
  std::vector<std::string> const words = csv_cells(text);
  bool is_valid = words.size() == 2 || words.size() == 3;
  for (std::size_t axis = 0; is_valid && axis < words.size(); ++axis) {
    std::istringstream number(words[axis]);
    double& component = shift[static_cast<int>(axis)];
    is_valid = number >> component && number.eof() && std::isfinite(component);
  }
  if (!is_valid) {
    throw InputError("--shift " + text + ": give one number per axis, like 0.5,-1 or 0.5,-1,2");
  }
  return shift;
}

/// The words of `resample`, before they are interpreted.
struct ResampleWords {
  ResampleOptions options;
  bool cubic = false;
  bool spline = false;
  bool nearest = false;
  std::string points;
  std::string shift{};

  /// Interprets the words. @throws InputError  if points or shift are not valid
  [[nodiscard]] ResampleOptions resolved() const {
    ResampleOptions all = options;
    all.curve = spline    ? Curve::spline
                : cubic   ? Curve::cubic
                : nearest ? Curve::nearest
                          : Curve::linear;
    if (!points.empty()) all.points = parse_extent(points, "--points");
    if (!shift.empty()) all.motion.shift = shift_in(shift);
    return all;
  }
};

/// Adds the command `resample`: interpolation to another grid, and rigid motions.
///
///     isotherm resample u.vtkhdf --points 129x129 --spline --output fine.vtkhdf
///     isotherm resample u.vtkhdf --rotate 30 --shift 0.1,0 --output moved.vtkhdf
void add_resample(CLI::App& app, Action& chosen) {
  auto const words = std::make_shared<ResampleWords>();
  CLI::App* const resample_app =
      app.add_subcommand("resample", "Interpolate a field to another grid, or shift or rotate it");
  add_field_files(*resample_app, words->options.files, words->options.device);
  CLI::Option* const points =
      resample_app
          ->add_option("--points", words->points, "Points of the new grid, over the same box")
          ->type_name("NXxNY[xNZ]");
  resample_app->add_option("--like", words->options.like, "A snapshot file whose grid is used")
      ->type_name("OTHER")
      ->excludes(points);
  resample_app->add_option("--shift", words->shift, "Shift of the field, in its unit of length")
      ->type_name("DX,DY[,DZ]");
  resample_app
      ->add_option("--rotate", words->options.motion.rotation_deg,
                   "Rotation of the field about the center of its box, from the x to the y axis")
      ->type_name("DEGREES");
  CLI::Option* const cubic =
      resample_app->add_flag("--cubic", words->cubic,
                             "Interpolate by cubic instead of linear polynomials along each axis");
  CLI::Option* const spline =
      resample_app
          ->add_flag("--spline", words->spline,
                     "Interpolate by cubic splines through all points of an axis, which are twice "
                     "continuously differentiable")
          ->excludes(cubic);
  resample_app->add_flag("--nearest", words->nearest, "Take the value of the nearest point")
      ->excludes(cubic)
      ->excludes(spline);
  resample_app->add_flag("--hardware", words->options.hardware,
                         "Interpolate by the texture units of a GPU, whose weights have 9 bits: "
                         "values may be off by 1 % of the differences between neighbours");
  add_edges(
      *resample_app, words->options.edge_mode,
      "The values beyond the box of the field; default: wrap on periodic axes and clamp on others");
  resample_app->callback([words, &chosen] {
    chosen = [options = words->resolved()](mpi::Communicator const& ranks) {
      return resample(ranks, options);
    };
  });
}

/// Adds the command `combine`: an expression of two fields.
///
///     isotherm combine a.vtkhdf b.vtkhdf --of "a - b" --output difference.vtkhdf
void add_combine(CLI::App& app, Action& chosen) {
  auto const options = std::make_shared<CombineOptions>();
  CLI::App* const combine_app = app.add_subcommand(
      "combine", "Compute a field from two others on the same grid, such as their difference");
  combine_app->add_option("A", options->files.input, "A snapshot, or a directory: its newest one")
      ->type_name("")
      ->required();
  combine_app->add_option("B", options->other, "The other snapshot, or its directory")
      ->type_name("")
      ->required();
  combine_app
      ->add_option("--of", options->of,
                   "An expression of a and b, the values of both fields, and of x, y, z and t (the "
                   "time of A); default: \"a - b\"")
      ->type_name("EXPRESSION");
  add_output(*combine_app, options->files);
  combine_app->callback([options, &chosen] {
    chosen = [options](mpi::Communicator const& ranks) { return combine(ranks, *options); };
  });
}

}  // namespace

void add_field_commands(CLI::App& app, Action& chosen) {
  add_smooth(app, chosen);
  add_project(app, chosen);
  add_resample(app, chosen);
  add_combine(app, chosen);
}

}  // namespace isotherm::app
