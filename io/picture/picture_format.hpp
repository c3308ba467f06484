#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace isotherm {

/// The file formats of pictures: pixels (PNG), or vector graphics for the web (SVG) and print
/// (PDF).
enum class PictureFormat { png, svg, pdf };

/// Returns "png", "svg" or "pdf": the name in case files and the file name extension.
constexpr char const* name(PictureFormat format) {
  return format == PictureFormat::png ? "png" : format == PictureFormat::svg ? "svg" : "pdf";
}

/// Returns the format with this name; PNG for all other names. Callers have checked the name.
constexpr PictureFormat picture_format_from_name(std::string_view name) {
  return name == "svg"   ? PictureFormat::svg
         : name == "pdf" ? PictureFormat::pdf
                         : PictureFormat::png;
}

/// Returns the format of a picture by the ending of its name; nullopt if it is another one.
inline std::optional<PictureFormat> picture_format_of(std::filesystem::path const& file) {
  std::string const ending = file.extension().string();
  for (auto const format : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    if (ending == std::string(".") + name(format)) return format;
  }
  return std::nullopt;
}

}  // namespace isotherm
