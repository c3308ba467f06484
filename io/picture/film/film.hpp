#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/picture/film/frame.hpp"
#include "io/picture/film/png_chunks.hpp"

// Films: a sequence of pictures of one size. An animated GIF or PNG needs no other program; ffmpeg
// encodes the formats of videos. Nothing in this file is collective.

namespace isotherm {

/// How fast a film runs.
struct FilmPace {
  double frames_per_second = 20.0;
  double last_s = 1.0;  ///< for which the last frame is shown
};

/// Checks that a film of this name can be written, before its frames are drawn.
/// @throws InputError  if the extension is not known, or needs ffmpeg, which is missing
void require_film_format(std::filesystem::path const& film);

/// Writes a film: an animated GIF (".gif") or PNG (".png", ".apng"), or a video by ffmpeg.
///
/// Frames of different size are placed on a white sheet as large as the largest ones.
/// @param frames  PNG files, at least one
/// @returns  the size of the film's frames
/// @throws InputError  as require_film_format(), or if a frame is damaged
/// @throws Error       if the file cannot be written
PixelSize write_film(std::filesystem::path const& film, std::vector<std::string> frames,
                     FilmPace const& pace, MayReplace const& may_replace = {});

/// Changes what a frame shows before it is drawn. Empty: nothing.
using ChangeFrame = std::function<void(PictureOptions& options)>;

/// Reads pictures and returns them as frames with one colour bar. Pictures with samples are drawn
/// again if their ranges differ, or if `change` is given; others are used as they are.
/// @throws InputError  if a file cannot be read, or if `change` is given and it has no samples
std::vector<std::string> frames_of_pictures(std::vector<std::filesystem::path> const& pictures,
                                            ChangeFrame const& change = {});

/// Returns the number of a picture u_000500.png; nullopt if the file has another name.
std::optional<std::int64_t> number_of_picture(std::filesystem::path const& picture);

/// Returns the paths of the numbered pictures in a directory, u_000500.png, up to a number, in
/// ascending order.
std::vector<std::filesystem::path> numbered_pictures(
    std::filesystem::path const& directory,
    std::int64_t last = std::numeric_limits<std::int64_t>::max());

/// Returns a range that contains both.
Range joined(Range const& a, Range const& b);

}  // namespace isotherm
