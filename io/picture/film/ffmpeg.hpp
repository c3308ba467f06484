#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"

namespace isotherm {

/// Returns true if ffmpeg can encode a file with this extension (".mp4", ".webm", ".mov", ".mkv").
bool is_ffmpeg_film(std::filesystem::path const& film);

/// Returns true if a program "ffmpeg" is on the search path.
bool has_ffmpeg();

/// Encodes a film with the program ffmpeg, as a file that browsers play (H.264 or VP9, yuv420p). It
/// replaces an existing file when it is complete.
/// @param frames  PNG files of one size, with even numbers of pixels
/// @param last_s  for which the last frame is shown
/// @param may_replace  called when the film is complete; it is not put in place if that throws
/// @throws Error  if ffmpeg is missing or fails; the message quotes its own
void encode_with_ffmpeg(std::filesystem::path const& film, std::vector<std::string> const& frames,
                        double frames_per_second, double last_s,
                        MayReplace const& may_replace = {});

}  // namespace isotherm
