#pragma once

#include <string_view>

namespace isotherm {

enum class PictureFormat { png, svg, pdf };

/// "png", "svg" or "pdf": the name in a case file, and the ending of the file.
constexpr char const* name(PictureFormat format) {
  return format == PictureFormat::png ? "png" : format == PictureFormat::svg ? "svg" : "pdf";
}

/// The inverse; png where it is no format's name.
constexpr PictureFormat picture_format_from_name(std::string_view name) {
  return name == "svg"   ? PictureFormat::svg
         : name == "pdf" ? PictureFormat::pdf
                         : PictureFormat::png;
}

}  // namespace isotherm
