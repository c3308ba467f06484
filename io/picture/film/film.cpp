#include "io/picture/film/film.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "io/files/presence.hpp"
#include "io/picture/figure/figure.hpp"
#include "io/picture/film/animated_png.hpp"
#include "io/picture/film/ffmpeg.hpp"
#include "io/picture/film/gif.hpp"
#include "io/picture/film/image.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

namespace fs = std::filesystem;

bool is_gif(fs::path const& film) { return film.extension() == ".gif"; }
bool is_animated_png(fs::path const& film) {
  return film.extension() == ".png" || film.extension() == ".apng";
}

std::string bytes_of(fs::path const& file) {
  require_readable_file(file);
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Calls a function on the bytes of a file. Its errors name the file.
template <class Function>
auto on_bytes(fs::path const& file, Function const& function) {
  std::string const bytes = bytes_of(file);
  try {
    return function(bytes);
  } catch (InputError const& fault) {
    throw InputError(file.string() + ": " + fault.what());
  }
}

/// What all frames of a film have in common.
struct Common {
  Range values{};
  double typical_arrow = 0.0;
  bool differs = false;  ///< true if the ranges of the frames are not the same
};

/// Finds the range of all frames. One frame at a time is in memory.
/// @returns  nothing if a picture has no samples
std::optional<Common> common_to(std::vector<fs::path> const& pictures) {
  std::optional<Common> common;
  for (fs::path const& file : pictures) {
    auto const frame = on_bytes(file, frame_in);
    if (!frame) return std::nullopt;
    double const arrow = frame->options.look.arrows ? typical_arrow(frame->views) : 0.0;
    if (!common) {
      common = Common{frame->values, arrow};
      continue;
    }
    common->differs =
        common->differs || frame->values != common->values || arrow != common->typical_arrow;
    common->values = joined(common->values, frame->values);
    common->typical_arrow = std::max(common->typical_arrow, arrow);
  }
  return common;
}

/// Draws a frame again.
std::string drawn_again(std::string const& picture, Common const& common,
                        ChangeFrame const& change) {
  auto frame = frame_in(picture);
  if (!frame) throw InputError("the picture has changed while it was read");
  PictureOptions& options = frame->options;
  if (common.typical_arrow > 0.0) options.typical_arrow = common.typical_arrow;
  if (change) change(options);
  return drawn_figure(frame->views, options.look.values.value_or(common.values), options);
}

/// Enlarges frames to the size of the largest ones.
PixelSize make_equal(std::vector<std::string>& frames) {
  PixelSize sheet;
  for (std::string const& frame : frames) {
    PixelSize const size = png_size(frame);
    sheet = {std::max(sheet.width, size.width), std::max(sheet.height, size.height)};
  }
  // Videos need even numbers.
  sheet = {sheet.width + sheet.width % 2, sheet.height + sheet.height % 2};
  for (std::string& frame : frames) {
    if (png_size(frame) != sheet) frame = encoded_png(on_sheet(decoded_png(frame), sheet));
  }
  return sheet;
}

std::string gif_of(std::vector<std::string> const& frames, PixelSize size, FilmPace const& pace) {
  GifWriter gif(size);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    bool const is_last = i + 1 == frames.size();
    gif.add(decoded_png(frames[i]), is_last ? pace.last_s : 1.0 / pace.frames_per_second);
  }
  return gif.finish();
}

}  // namespace

Range joined(Range const& a, Range const& b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

void require_film_format(fs::path const& film) {
  if (is_gif(film) || is_animated_png(film)) return;
  if (!is_ffmpeg_film(film)) {
    throw InputError(film.string() +
                     ": the name of a film must end in .gif or .png (animated), or in .mp4, .webm, "
                     ".mov or .mkv");
  }
  if (!has_ffmpeg()) {
    throw InputError(film.string() + " needs the program ffmpeg, which is not on the search path " +
                     "(install it, or give a name that ends in .gif or .png)");
  }
}

PixelSize write_film(fs::path const& film, std::vector<std::string> frames, FilmPace const& pace,
                     MayReplace const& may_replace) {
  require_film_format(film);
  PixelSize const size = make_equal(frames);
  if (is_ffmpeg_film(film)) {
    encode_with_ffmpeg(film, frames, pace.frames_per_second, pace.last_s, may_replace);
  } else if (is_gif(film)) {
    write_file_atomically(film, gif_of(frames, size, pace), may_replace);
  } else {
    write_file_atomically(film, animated_png(frames, 1.0 / pace.frames_per_second, pace.last_s),
                          may_replace);
  }
  return size;
}

std::vector<std::string> frames_of_pictures(std::vector<fs::path> const& pictures,
                                            ChangeFrame const& change) {
  auto const common = common_to(pictures);
  if (!common && change) {
    throw InputError(
        "the pictures cannot be drawn again: not all of them contain their samples "
        "(those of a run with [output] film do)");
  }
  bool const again = common && (change || common->differs);
  std::vector<std::string> frames;
  frames.reserve(pictures.size());
  for (fs::path const& file : pictures) {
    frames.push_back(on_bytes(file, [&](std::string const& bytes) {
      return again ? drawn_again(bytes, *common, change) : bytes;
    }));
  }
  return frames;
}

std::optional<std::int64_t> number_of_picture(fs::path const& picture) {
  constexpr std::string_view begin = "u_";
  constexpr std::string_view end = ".png";
  constexpr std::size_t max_digits = 18;
  std::string name = picture.filename().string();
  if (!name.starts_with(begin) || !name.ends_with(end)) return std::nullopt;
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  bool const is_number = !name.empty() && name.size() <= max_digits &&
                         name.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::optional(std::stoll(name)) : std::nullopt;
}

std::vector<fs::path> numbered_pictures(fs::path const& directory, std::int64_t last) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code missing;  // then there are none
  for (fs::directory_entry const& entry : fs::directory_iterator(directory, missing)) {
    auto const number = number_of_picture(entry.path());
    if (number && *number <= last) {
      found.emplace_back(*number, entry.path());
    }
  }
  std::ranges::sort(found);
  std::vector<fs::path> paths;
  std::ranges::transform(found, std::back_inserter(paths),
                         [](auto const& one) { return one.second; });
  return paths;
}

}  // namespace isotherm
