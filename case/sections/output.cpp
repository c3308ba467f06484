#include <algorithm>
#include <cctype>
#include <climits>
#include <filesystem>
#include <numeric>
#include <vector>

#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/sections/parts.hpp"
#include "io/picture/picture_limits.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

/// Converts a title into the name of a directory. ASCII letters, digits, '_', '.' and non-ASCII
/// characters remain; any sequence of others becomes a '-'. The result has no leading dot, so the
/// directory is not hidden. A title of which nothing remains yields "results".
std::string file_safe(std::string const& title) {
  constexpr std::size_t max_bytes = 100;
  std::string safe;
  for (char const letter : cut(title, max_bytes)) {
    auto const code = static_cast<unsigned char>(letter);
    bool const kept = std::isalnum(code) != 0 || code >= 0x80 || letter == '_' || letter == '.';
    if (kept && !(letter == '.' && safe.empty())) {
      safe += letter;
    } else if (!safe.empty() && safe.back() != '-') {
      safe += '-';
    }
  }
  while (!safe.empty() && safe.back() == '-') {
    safe.pop_back();
  }
  return safe.empty() ? "results" : safe;
}

/// Reads the directory for results; by default it is named after the title. Names that no file
/// system accepts are refused here, with advice. The check covers the length of each name and of
/// the whole path. The directory itself is created by the run.
std::string read_directory(CaseSection const& section, std::string const& title) {
  constexpr std::size_t max_in_name = NAME_MAX;
  constexpr std::size_t max_in_path = PATH_MAX - 64;  // leaves room for the names of results
  std::string directory = section.text("directory", file_safe(title));
  if (directory.size() > max_in_path) {
    section.fail("directory", "has " + std::to_string(directory.size()) +
                                  " characters (needs a path of at most " +
                                  std::to_string(max_in_path) + ')');
  }
  for (std::filesystem::path const& part : std::filesystem::path(directory)) {
    std::size_t const length = part.native().size();
    if (length > max_in_name) {
      section.fail("directory", "has a name of " + std::to_string(length) + " characters, " + '"' +
                                    one_line(part.native(), 40) + "\" (needs at most " +
                                    std::to_string(max_in_name) + " per part of the path)");
    }
  }
  return directory;
}

/// Reads the fields of snapshots. Each may occur once, and "u" is mandatory.
std::vector<std::string> read_fields(CaseSection const& section, Problem const& problem) {
  // [output] fields = ["u", "gradient"]; by default the solution alone.
  std::vector<std::string> fields =
      section.has("fields") ? section.texts("fields") : std::vector<std::string>{"u"};
  for (std::string const& field : fields) {
    if (std::count(fields.begin(), fields.end(), field) > 1) {
      section.fail("fields", "names " + field + " twice");
    }
  }
  auto const names = [&](char const* field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  if (!names("u")) {
    section.fail("fields",
                 R"(does not include "u", the solution (needs it, as in fields = ["u"]))");
  }
  for (char const* const field : {"flux", "gradient"}) {
    if (!names(field) || !is_nonlinear(problem)) continue;
    section.fail("fields", "includes " + in_quotes(field) +
                               ", which cannot be computed yet if a coefficient depends on u or t");
  }
  if (names("source") && problem.equation == Equation::laplace) {
    section.fail("fields", R"(includes "source", which Laplace's equation does not have)");
  }
  return fields;
}

/// Returns whether snapshots are stored as float32 although the field is float64.
bool read_as_float32(CaseSection const& section, Problem const& problem) {
  std::string const own = name(problem.precision);
  std::string const stored = section.text("precision", own);
  if (stored == "float64" && problem.precision == Precision::float32) {
    section.fail(
        "precision",
        R"(is "float64", more precise than the field itself ([grid] precision is "float32"))");
  }
  return stored != own;
}

/// Reads `picture`: a format, or a flag. Pictures are on by default.
std::optional<PictureFormat> read_picture(CaseSection const& section) {
  if (!section.has("picture") || section.is_flag("picture")) {
    return section.flag("picture", true) ? std::optional(PictureFormat::png) : std::nullopt;
  }
  return picture_format_from_name(section.text("picture"));
}

/// Reads `contours`: a number of contour lines, or true for a default number (0). See
/// PictureLook::contours.
std::optional<int> read_contours(CaseSection const& section) {
  if (!section.has("contours") || section.is_flag("contours")) {
    return section.flag("contours", false) ? std::optional(0) : std::nullopt;
  }
  std::int64_t const lines = section.whole("contours", 0, 0);
  if (lines > contour_counts.largest) {
    section.fail("contours", "is " + std::to_string(lines) + " (needs true, false or 0 … " +
                                 std::to_string(contour_counts.largest) + ')');
  }
  return lines > 0 ? std::optional(static_cast<int>(lines)) : std::nullopt;
}

/// Reads the range of values that the colours of pictures cover.
std::optional<Range> read_picture_range(CaseSection const& section) {
  if (!section.has("picture_range")) return std::nullopt;
  auto const ends = section.numbers("picture_range");
  if (ends.size() != 2 || !(ends[0] < ends[1])) {
    section.fail("picture_range", "needs two numbers in ascending order, as in [0.0, 100.0]");
  }
  return Range{ends[0], ends[1]};
}

/// Reads the coordinates of the planes that a 3D picture shows, one to three of them.
PerAxis<std::optional<double>> read_picture_slice(CaseSection const& output, Grid const& grid) {
  if (grid.dimension == 2) {
    output.fail("picture_slice",
                "does not apply to 2D grids, whose whole field is drawn (leave it out)");
  }
  CaseSection const section = output.section("picture_slice");
  PerAxis<std::optional<double>> planes{};
  for (int axis = 0; axis < 3; ++axis) {
    std::string const key = axis_name(axis);
    if (!section.has(key)) continue;
    double const place = section.number(key, 0.0);
    if (!is_inside(grid, axis, place)) {
      section.fail(key, "is " + shortest(place) + ", " + outside_of(grid, axis));
    }
    planes[axis] = place;
  }
  if (section.empty()) {
    output.fail("picture_slice", "names no plane (needs one to three, as in { z = 0.5 })");
  }
  return planes;
}

/// Reads [output] cut or picture_box: the points with lower <= coordinate <= upper. It must contain
/// at least one.
///
///     [output]
///     cut = { lower = [0.0, 0.0, 0.5], upper = [1.0, 1.0, 0.5] }     # one plane of points
GlobalBox read_points(CaseSection const& output, std::string const& key, Grid const& grid) {
  CaseSection const section = output.section(key);
  std::array const cut{section.place("lower", grid.dimension),
                       section.place("upper", grid.dimension)};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (cut[0][axis] > cut[1][axis]) {
      section.fail("upper", "is " + shortest(cut[1][axis]) + " " + on_axis(axis) +
                                ", which is below lower, " + shortest(cut[0][axis]));
    }
    double const last = grid.coordinate(axis, grid.points[axis] - 1);
    if (cut[0][axis] > last || cut[1][axis] < grid.lower[axis]) {
      section.fail("lower", "and upper lie outside the grid " + on_axis(axis) +
                                " (which extends from " + six_digits(grid.lower[axis]) + " to " +
                                six_digits(last) + ')');
    }
  }
  GlobalBox const points = points_between(grid, cut[0], cut[1], UpperEnd::included);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (points.lower[axis] < points.upper[axis]) continue;
    double const next = grid.coordinate(axis, points.lower[axis]);
    double const before = grid.gap(axis, std::max<std::int64_t>(points.lower[axis] - 1, 0));
    output.fail(key, "contains no point of the grid " + on_axis(axis) +
                         " (needs at least one; the nearest are at " + six_digits(next - before) +
                         " and " + six_digits(next) + ")");
  }
  return points;
}

/// Reads `picture_width`, in pixels.
std::optional<int> read_picture_width(CaseSection const& section) {
  if (!section.has("picture_width")) return std::nullopt;
  std::int64_t const width = section.whole("picture_width", 0, 0);
  if (!picture_widths.allows(width)) {
    section.fail("picture_width", "is " + std::to_string(width) + " (needs " +
                                      std::to_string(picture_widths.smallest) + " … " +
                                      std::to_string(picture_widths.largest) + " pixels)");
  }
  return static_cast<int>(width);
}

/// Reads `length_unit` and `length_scale`.
LengthUnit read_length_unit(CaseSection const& section) {
  std::optional<double> scale;
  if (section.has("length_scale")) {
    section.require_key("length_unit", R"(the name of the unit, as in length_unit = "mm")");
    scale = section.positive("length_scale");
  }
  std::string const name = section.text("length_unit", "");
  auto const unit = length_unit_of(name, scale);
  if (!unit) {
    section.fail("length_unit", "is " + in_quotes(one_line(name, 20)) + " (known are " +
                                    known_length_units() +
                                    "; for another one add length_scale, the number of these "
                                    "units in a length of 1 of the grid)");
  }
  return *unit;
}

/// Reads the keys on the appearance of pictures.
PictureLook read_look(CaseSection const& section, Grid const& grid) {
  PictureLook look;
  look.contours = read_contours(section);
  look.values = read_picture_range(section);
  look.label = section.text("label", "");
  look.colour_map = section.text("colour_map", look.colour_map);
  if (!is_colour_map(look.colour_map)) {
    section.fail("colour_map", "is \"" + one_line(look.colour_map, 40) + "\" (known are " +
                                   known_colour_maps() + ")");
  }
  look.arrows = section.flag("arrows", false);
  look.width = read_picture_width(section);
  look.length = read_length_unit(section);
  look.flux_unit = section.text("flux_unit", "");
  look.time_unit = section.text("time_unit", "");
  if (section.has("picture_slice")) look.planes = read_picture_slice(section, grid);
  if (section.has("picture_box")) look.box = read_points(section, "picture_box", grid);
  return look;
}

/// Reads the places of point sources, which pictures mark.
std::vector<PerAxis<double>> read_marks(CaseDocument const& document, Grid const& grid) {
  std::vector<PerAxis<double>> marks;
  for (CaseSection const& source : CaseSection(document.root, "").sections("source")) {
    if (source.has("at")) marks.push_back(read_place(source, "at", grid));
  }
  return marks;
}

/// Reads `film`: a format, or true for a GIF. The frames are PNG pictures of a problem in time.
std::string read_film(CaseSection const& section, Problem const& problem,
                      std::optional<PictureFormat> picture) {
  std::string film = !section.has("film")          ? ""
                     : !section.is_flag("film")    ? section.text("film")
                     : section.flag("film", false) ? "gif"
                                                   : "";
  if (!film.empty() && problem.equation != Equation::diffusion) {
    section.fail("film",
                 R"(needs a problem in time, type = "diffusion": the equation is steady, and its )"
                 R"(frames would show iterations (leave film out; the picture of the solution is )"
                 R"(drawn anyway))");
  }
  if (!film.empty() && picture != PictureFormat::png) {
    section.fail("film",
                 R"(joins pictures, which must be PNG files (needs picture = true or "png"))");
  }
  return film;
}

}  // namespace

std::int64_t OutputSettings::pictures_every(std::int64_t iterations) const {
  constexpr std::int64_t frames = 100;
  if (picture_every > 0 || film.empty()) return picture_every;
  return std::max<std::int64_t>(1, (iterations + frames - 1) / frames);
}

int components_of(std::string const& field) {
  return field == "gradient" || field == "flux" ? 3 : 1;
}

int OutputSettings::values_per_point() const {
  return std::accumulate(fields.begin(), fields.end(), 0,
                         [](int sum, auto const& field) { return sum + components_of(field); });
}

int OutputSettings::values_per_point_of_whole_field() const {
  // Vectors are omitted from the full file if a reduced snapshot exists.
  auto const scalars =
      std::ranges::count_if(fields, [](auto const& field) { return components_of(field) == 1; });
  return reduces() ? static_cast<int>(scalars) : values_per_point();
}

// read_times() reads snapshot_times, since they belong to the method's steps.
OutputSettings read_output(CaseDocument const& document, Problem const& problem,
                           std::string const& title) {
  CaseSection const section = document.section("output");
  OutputSettings output;
  output.directory = read_directory(section, title);
  output.snapshot_every = section.whole("snapshot_every", 0, 0);
  if (section.has("snapshot_interval")) {
    output.snapshot_interval_s = section.positive("snapshot_interval");
  }
  output.fields = read_fields(section, problem);
  output.picture = read_picture(section);
  output.picture_every = section.whole("picture_every", 0, 0);
  output.look = read_look(section, problem.grid);
  output.look.marks = read_marks(document, problem.grid);
  output.film = read_film(section, problem, output.picture);
  output.report = section.flag("report", output.report);
  auto const level = section.whole("compression", 0, 0);
  if (level > 9) {
    section.fail("compression", "is " + std::to_string(level) + " (needs 0 … 9)");
  }
  output.compression = static_cast<int>(level);
  output.as_float32 = read_as_float32(section, problem);
  if (section.has("cut")) {
    output.cut = read_points(section, "cut", problem.grid);
  }
  output.in_background = section.flag("in_background", output.in_background);
  return output;
}

//     [checkpoint]
//     every         = 1000        # iterations or time steps
//     every_minutes = 10          # wall-clock time; the default if `every` is not given
//     keep          = 2           # older checkpoints are deleted
//     when_busy     = "wait"      # or "skip"
CheckpointSettings read_checkpoint(CaseDocument const& document) {
  CaseSection const section = document.section("checkpoint");
  CheckpointSettings checkpoint;
  checkpoint.every = section.whole("every", 0, 0);
  // has_default_checkpoints() recognises the default.
  constexpr double default_minutes = 10.0;
  bool const by_default = !section.has("every") && !section.has("every_minutes");
  checkpoint.every_minutes = section.number("every_minutes", by_default ? default_minutes : 0.0);
  if (checkpoint.every_minutes < 0.0) {
    section.fail("every_minutes", "is " + shortest(checkpoint.every_minutes) +
                                      " (needs 0 or more; 0: never by time)");
  }
  // The conversion to int is safe with this bound, and nobody stores that many checkpoints.
  constexpr std::int64_t max_kept = 1'000'000;
  checkpoint.keep = static_cast<int>(std::min(section.whole("keep", checkpoint.keep, 1), max_kept));
  char const* const when_busy = by_default ? "skip" : "wait";
  checkpoint.when_busy =
      section.text("when_busy", when_busy) == "skip" ? WhenBusy::skip : WhenBusy::wait;
  return checkpoint;
}

namespace {

/// Converts [run] device. The schema has restricted it to three words.
DeviceChoice device_of(std::string const& choice) {
  return choice == "cuda"  ? DeviceChoice::cuda
         : choice == "cpu" ? DeviceChoice::cpu
                           : DeviceChoice::automatic;
}

/// Reads the number of subdomains along each axis. Each must contain at least one point.
Extent3 read_decomposition(CaseSection const& section, Grid const& grid) {
  auto const parts = section.wholes("decomposition");
  if (parts.size() != static_cast<std::size_t>(grid.dimension)) {
    section.fail("decomposition", "has " + std::to_string(parts.size()) + " entries (needs " +
                                      std::to_string(grid.dimension) +
                                      ", one per axis, as in [grid] points)");
  }
  Extent3 extent{parts[0], parts[1], grid.dimension == 3 ? parts[2] : 1};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (extent[axis] < 1 || extent[axis] > grid.points[axis]) {
      section.fail("decomposition", "divides an axis into " + std::to_string(extent[axis]) +
                                        " parts (needs 1 to its number of points, " +
                                        std::to_string(grid.points[axis]) + ')');
    }
  }
  return extent;
}

/// Reads [run] wall_time in the formats of Slurm, such as "1-23:50:00". Returns seconds.
double read_wall_time(CaseSection const& section) {
  std::string const text = section.text("wall_time");
  auto const seconds = seconds_in(text);
  if (!seconds || *seconds <= 0.0) {
    section.fail("wall_time",
                 "is \"" + one_line(text, 40) +
                     "\" (needs hours, minutes and seconds, as in \"23:50:00\", optionally after "
                     "days, as in \"1-23:50:00\"; it must be above 0)");
  }
  return *seconds;
}

/// Reads [run] patience. Returns seconds; 0 means no limit.
double read_patience(CaseSection const& section) {
  std::string const text = section.is_number("patience") ? shortest(section.number("patience", 0.0))
                                                         : section.text("patience");
  if (text == "0") return 0.0;
  auto const seconds = seconds_in(text);
  if (!seconds || *seconds <= 0.0) {
    section.fail("patience", "is \"" + one_line(text, 40) +
                                 "\" (needs hours, minutes and seconds, as in \"00:10:00\", or 0 "
                                 "to wait without limit)");
  }
  return *seconds;
}

}  // namespace

//     [run]
//     device        = "auto"          # or "cuda", "cpu"
//     decomposition = [2, 2, 1]       # parts along x, y, z
//     transport     = "auto"
//     mpi_device_memory = "auto"      # or "yes", "no"
//     plan          = "auto"          # or the name of a kernel variant
//     plan_table    = "plans.toml"
//     tune          = true            # or false; default: on GPUs of unmeasured generations
//     wall_time     = "23:50:00"
//     patience      = "00:10:00"      # or 0: no limit
RunSettings read_run(CaseDocument const& document, Grid const& grid) {
  CaseSection const section = document.section("run");
  RunSettings run;
  run.device = device_of(section.text("device", "auto"));
  if (section.has("decomposition")) {
    run.decomposition = read_decomposition(section, grid);
  }
  run.transport = transport_from_name(section.text("transport", "auto"));
  run.mpi_device_memory =
      mpi::device_memory_from_name(section.text("mpi_device_memory", "auto"), "mpi_device_memory");
  run.plan = section.text("plan", "auto");
  if (section.has("plan_table")) {
    run.plan_table = section.text("plan_table");
  }
  if (section.has("tune")) {
    run.tune = section.flag("tune", false);
  }
  if (section.has("wall_time")) {
    run.wall_time_s = read_wall_time(section);
  }
  if (section.has("patience")) {
    run.patience_s = read_patience(section);
  }
  return run;
}

}  // namespace isotherm
