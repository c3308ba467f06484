#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/picture/film/image.hpp"

namespace isotherm {

/// An animated GIF that repeats forever (GIF89a, CompuServe 1990), frame by frame.
///
/// Each frame has up to 255 colours of its own: all of its colours if they suffice, else the means
/// of boxes that median cuts make (Heckbert, SIGGRAPH 1982). Pixels that have the colours shown
/// before are transparent, which shortens the file; in a frame of more colours, also those that
/// differ from them by at most 3 of 255 levels. Such differences do not add up.
///
///     GifWriter gif({900, 800});
///     for (Image const& image : images) gif.add(image, 0.04);
///     std::string const file = gif.finish();
class GifWriter {
 public:
  explicit GifWriter(PixelSize size);
  /// Adds a frame. @param seconds  for which it is shown, rounded to hundredths
  /// @pre  the image has the size of the film
  void add(Image const& image, double seconds);
  /// Returns the bytes of the file. No frame can be added afterwards.
  std::string finish();

 private:
  PixelSize size_;
  std::string bytes_;
  std::optional<Image> shown_{};  ///< what a viewer shows after the last frame
};

}  // namespace isotherm
