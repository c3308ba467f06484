#include "io/values/picture_values.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <png.h>
#include <utility>

namespace isotherm {
namespace {

/// An open picture of libpng, which is closed by the destructor.
class Png {
 public:
  explicit Png(std::filesystem::path const& path) : path_(path.string()) {
    (void)open_values(path);  // names the reason if it cannot be opened
    image_.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image_, path_.c_str()) == 0) refuse();
  }
  ~Png() { png_image_free(&image_); }
  Png(Png const&) = delete;
  Png& operator=(Png const&) = delete;

  [[nodiscard]] std::int64_t width() const { return image_.width; }
  [[nodiscard]] std::int64_t height() const { return image_.height; }

  /// Returns the grey levels, row by row. @pre  the size is known to be acceptable
  std::vector<unsigned char> levels() {
    bool const has_alpha = (image_.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    // Levels of 16 bits are as those of 8 bits: not proportional to the light.
    image_.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    image_.format = has_alpha ? PNG_FORMAT_GA : PNG_FORMAT_GRAY;
    std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image_));
    if (png_image_finish_read(&image_, nullptr, pixels.data(), 0, nullptr) == 0) refuse();
    if (!has_alpha) return pixels;
    std::vector<unsigned char> levels(pixels.size() / 2);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (pixels[2 * i + 1] != 255) {
        throw InputError(path_ + " has transparent pixels (save it without an alpha channel)");
      }
      levels[i] = pixels[2 * i];
    }
    return levels;
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format("{} is not a readable PNG picture: {}", path_, image_.message));
  }

  std::string path_;
  png_image image_{};
};

/// Returns the pixel of each point along an axis.
std::vector<std::int64_t> pixels_of(std::vector<double> const& coordinates, std::int64_t pixels,
                                    bool stretch) {
  std::vector<std::int64_t> all;
  double const length = coordinates.back() - coordinates.front();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    double const share = length > 0.0 ? (coordinates[i] - coordinates.front()) / length : 0.0;
    auto const pixel = static_cast<std::int64_t>(share * static_cast<double>(pixels));
    all.push_back(stretch ? std::min(pixel, pixels - 1) : static_cast<std::int64_t>(i));
  }
  return all;
}

}  // namespace

std::unique_ptr<ValueSource> open_picture(std::filesystem::path const& path, bool stretch,
                                          RequiredShape const& wanted) {
  constexpr std::int64_t max_pixels = std::int64_t{1} << 28;
  if (wanted.lengths.size() != 2) {
    throw InputError(
        fmt::format("{}: a picture has two axes, {} values have the axes {} (stack "
                    "pictures into an array, and save it by numpy.save())",
                    path.string(), wanted.whose, wanted.axes));
  }
  Png png(path);
  std::int64_t const width = png.width(), height = png.height();
  if (!stretch && (width != wanted.lengths[1] || height != wanted.lengths[0])) {
    throw InputError(fmt::format(
        "{} has {} x {} pixels, {} points are {} x {} (scale the picture, or add stretch = true)",
        path.string(), width, height, wanted.whose, wanted.lengths[1], wanted.lengths[0]));
  }
  if (width * height > max_pixels) {
    throw InputError(fmt::format("{} has {} x {} pixels (needs at most {} in total)", path.string(),
                                 width, height, max_pixels));
  }
  auto const levels = png.levels();
  auto const columns = pixels_of(wanted.coordinates[1], width, stretch);
  auto const rows = pixels_of(wanted.coordinates[0], height, stretch);
  std::vector<double> values;
  values.reserve(rows.size() * columns.size());
  for (std::int64_t const row : rows) {
    auto const begin = levels.begin() + (height - 1 - row) * width;
    for (std::int64_t const column : columns) values.push_back(begin[column] / 255.0);
  }
  return std::make_unique<ValuesInMemory>(path.string(), in_order(wanted.lengths),
                                          std::move(values));
}

}  // namespace isotherm
