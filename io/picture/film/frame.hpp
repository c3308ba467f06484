#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/picture/figure/view.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// Everything that a picture shows: it can be drawn again from this, with another range or look.
struct Frame {
  std::vector<View> views{};
  Range values{};
  PictureOptions options{};  ///< without functions; its planes and box are those of the views
};

/// Returns a PNG file with the frame in a chunk "isTm", which viewers ignore. Values are rounded to
/// float32.
std::string with_frame(std::string_view png, Frame const& frame);

/// Returns the frame in a PNG file; nullopt if it has none. @throws InputError  if it is damaged
std::optional<Frame> frame_in(std::string_view png);

}  // namespace isotherm
