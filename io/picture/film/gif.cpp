#include "io/picture/film/gif.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr std::size_t max_colours = 255;      // and one index that means "transparent"
constexpr unsigned max_index_bits = 8;        // colours in a table: 256
constexpr unsigned max_code_bits = 12;        // of LZW codes in a GIF
constexpr std::size_t max_block_bytes = 255;  // of data
/// A change of a colour in a channel that nobody sees. Pixels that change less remain as they are.
constexpr int invisible = 3;

/// A number of two bytes, the lower one first.
std::string short_number(int number) {
  auto const value = static_cast<unsigned>(number);
  return {static_cast<char>(value & 0xffU), static_cast<char>((value >> 8U) & 0xffU)};
}

std::uint32_t packed(Colour colour) {
  return std::uint32_t{colour[0]} << 16U | std::uint32_t{colour[1]} << 8U |
         std::uint32_t{colour[2]};
}

/// A colour of an image and the number of its pixels.
struct CountedColour {
  Colour colour;
  std::size_t pixels;
};
using Colours = std::vector<CountedColour>;

/// A box of similar colours: a part of a list.
class ColourBox {
 public:
  ColourBox(Colours::iterator from, Colours::iterator end) : first(from), last(end) {
    for (std::size_t i = 0; i < 3; ++i) {
      auto const [low, high] = std::minmax_element(
          first, last, [i](auto const& a, auto const& b) { return a.colour[i] < b.colour[i]; });
      int const extent = high->colour[i] - low->colour[i];
      if (extent > length) {
        channel = i;
        length = extent;
      }
    }
    double pixels = 0.0;
    for (auto one = first; one != last; ++one) pixels += static_cast<double>(one->pixels);
    constexpr double influence_of_pixels = 0.2;
    priority = length * std::pow(pixels, influence_of_pixels);
  }
  /// The mean of the colours, weighted by their pixels.
  [[nodiscard]] Colour mean() const {
    std::array<double, 3> sums{};
    double pixels = 0.0;
    for (auto one = first; one != last; ++one) {
      pixels += static_cast<double>(one->pixels);
      for (std::size_t i = 0; i < 3; ++i) {
        sums[i] += one->colour[i] * static_cast<double>(one->pixels);
      }
    }
    Colour colour{};
    for (std::size_t i = 0; i < 3; ++i) {
      colour[i] = static_cast<std::uint8_t>(std::lround(sums[i] / pixels));
    }
    return colour;
  }

  Colours::iterator first, last;
  std::size_t channel = 0;  ///< with the largest extent
  int length = -1;          ///< that extent
  double priority = 0.0;    ///< for being cut
};

/// Divides colours into at most `max_colours` boxes. A long box is cut in the middle of its side,
/// sooner if it has many pixels. So large areas show no bands, and rare colours, such as those of
/// letters, keep boxes of their own.
std::vector<ColourBox> boxes_of(Colours& colours) {
  std::vector<ColourBox> boxes{ColourBox(colours.begin(), colours.end())};
  while (boxes.size() < max_colours) {
    auto const longest = std::ranges::max_element(boxes, {}, &ColourBox::priority);
    if (!(longest->priority > 0.0)) break;  // every box holds a single colour
    std::size_t const channel = longest->channel;
    std::sort(longest->first, longest->last, [channel](auto const& a, auto const& b) {
      return a.colour[channel] < b.colour[channel];
    });
    int const middle = (longest->first->colour[channel] + (longest->last - 1)->colour[channel]) / 2;
    auto const cut = std::find_if(longest->first, longest->last,
                                  [&](auto const& one) { return one.colour[channel] > middle; });
    ColourBox const upper(cut, longest->last);
    *longest = ColourBox(longest->first, cut);
    boxes.push_back(upper);
  }
  return boxes;
}

/// The colours of a frame, and the index of each colour of the image among them.
struct Palette {
  std::vector<Colour> colours{};
  std::unordered_map<std::uint32_t, std::uint8_t> index_of{};

  /// The index that means "transparent".
  [[nodiscard]] std::uint8_t transparent() const {
    return static_cast<std::uint8_t>(colours.size());
  }
  /// Bits of an index; the format needs at least two.
  [[nodiscard]] unsigned bits() const {
    return std::max(2U, static_cast<unsigned>(std::bit_width(colours.size())));
  }
};

/// Returns the colours of the marked pixels.
Palette palette_of(Image const& image, std::vector<bool> const& changed) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    if (changed[i]) ++counts[packed(image.pixels[i])];
  }
  if (counts.empty()) ++counts[packed(image.pixels.front())];
  Colours colours;
  for (auto const& [colour, pixels] : counts) {
    colours.push_back({{static_cast<std::uint8_t>(colour >> 16U),
                        static_cast<std::uint8_t>(colour >> 8U), static_cast<std::uint8_t>(colour)},
                       pixels});
  }
  // The order of a hash table is that of the library: equal films must be equal files.
  std::ranges::sort(colours, {}, [](CountedColour const& one) { return packed(one.colour); });
  Palette palette;
  for (ColourBox const& box : boxes_of(colours)) {
    auto const index = static_cast<std::uint8_t>(palette.colours.size());
    palette.colours.push_back(box.mean());
    for (auto one = box.first; one != box.last; ++one)
      palette.index_of[packed(one->colour)] = index;
  }
  return palette;
}

/// Writes codes of variable length, the lowest bit first.
class BitWriter {
 public:
  void write(unsigned code, unsigned bits) {
    pending_ |= code << count_;
    count_ += bits;
    while (count_ >= 8) {
      bytes_ += static_cast<char>(pending_ & 0xffU);
      pending_ >>= 8U;
      count_ -= 8;
    }
  }
  /// Returns all bytes, the last of which is filled with zeros.
  std::string finish() {
    if (count_ > 0) bytes_ += static_cast<char>(pending_ & 0xffU);
    return std::move(bytes_);
  }

 private:
  std::string bytes_{};
  unsigned pending_ = 0;
  unsigned count_ = 0;
};

/// Compresses indices by LZW with codes of one more bit to 12 bits.
std::string lzw(std::vector<std::uint8_t> const& indices, unsigned index_bits) {
  unsigned const clear = 1U << index_bits;
  unsigned const end = clear + 1;
  BitWriter writer;
  std::unordered_map<unsigned, unsigned> codes;  // of a known sequence and one more index
  unsigned next = end + 1;
  unsigned bits = index_bits + 1;
  writer.write(clear, bits);
  unsigned current = indices.front();
  for (std::size_t i = 1; i < indices.size(); ++i) {
    unsigned const longer = current << max_index_bits | indices[i];
    if (auto const known = codes.find(longer); known != codes.end()) {
      current = known->second;
      continue;
    }
    writer.write(current, bits);
    current = indices[i];
    if (next == 1U << max_code_bits) {  // the table is full
      writer.write(clear, bits);
      codes.clear();
      next = end + 1;
      bits = index_bits + 1;
      continue;
    }
    // The reader learns each code one step later, so the codes become longer one step later, too.
    if (next == 1U << bits) ++bits;
    codes.emplace(longer, next++);
  }
  writer.write(current, bits);
  // After this code the reader adds one more entry.
  if (next == 1U << bits && bits < max_code_bits) ++bits;
  writer.write(end, bits);
  return writer.finish();
}

/// A rectangle of pixels.
struct Part {
  int left = 0, top = 0, right = 0, bottom = 0;  ///< right and bottom are excluded
};

/// Returns the largest difference of two colours in a channel.
int difference(Colour a, Colour b) {
  int largest = 0;
  for (std::size_t i = 0; i < 3; ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Marks the pixels whose colours differ by more than `tolerance` from those that are shown.
std::vector<bool> changed_pixels(Image const& image, std::optional<Image> const& shown,
                                 int tolerance) {
  std::vector<bool> changed(image.pixels.size(), true);
  for (std::size_t i = 0; shown && i < changed.size(); ++i) {
    changed[i] = difference(image.pixels[i], shown->pixels[i]) > tolerance;
  }
  return changed;
}

/// Returns true if an image has more colours than a palette.
bool has_many_colours(Image const& image) {
  std::unordered_set<std::uint32_t> colours;
  return std::ranges::any_of(image.pixels, [&](Colour const colour) {
    colours.insert(packed(colour));
    return colours.size() > max_colours;
  });
}

/// The smallest rectangle with all changed pixels; one pixel if there is none.
Part changed_part(PixelSize size, std::vector<bool> const& changed) {
  Part part{size.width, size.height, 0, 0};
  auto pixel = changed.begin();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      if (!*pixel++) continue;
      part = {std::min(part.left, x), std::min(part.top, y), std::max(part.right, x + 1),
              std::max(part.bottom, y + 1)};
    }
  }
  return part.right > part.left ? part : Part{0, 0, 1, 1};
}

/// The data of an image in blocks of at most 255 bytes.
std::string in_blocks(std::string const& data) {
  std::string blocks;
  for (std::size_t at = 0; at < data.size(); at += max_block_bytes) {
    std::string const block = data.substr(at, max_block_bytes);
    blocks += static_cast<char>(block.size()) + block;
  }
  return blocks + '\0';
}

}  // namespace

GifWriter::GifWriter(PixelSize size) : size_(size) {
  constexpr int max_side = 65535;
  require(size.width <= max_side && size.height <= max_side, "the picture is too large for a GIF");
  // No global table of colours: each frame has its own.
  bytes_ = "GIF89a" + short_number(size.width) + short_number(size.height) + std::string(3, '\0');
  // The extension that makes browsers repeat the film without end.
  bytes_ += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01", 16) + short_number(0) + '\0';
}

void GifWriter::add(Image const& image, double seconds) {
  // An image of few colours is shown exactly.
  bool const is_exact = !has_many_colours(image);
  std::vector<bool> const changed = changed_pixels(image, shown_, is_exact ? 0 : invisible);
  Palette const palette = palette_of(image, changed);
  Part const part = changed_part(size_, changed);
  if (!shown_) shown_ = image;
  std::vector<std::uint8_t> indices;
  for (int y = part.top; y < part.bottom; ++y) {
    for (int x = part.left; x < part.right; ++x) {
      auto const i = static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) +
                     static_cast<std::size_t>(x);
      indices.push_back(changed[i] ? palette.index_of.at(packed(image.pixels[i]))
                                   : palette.transparent());
      if (changed[i]) shown_->pixels[i] = palette.colours[indices.back()];
    }
  }
  // Graphic control: the frame remains under the next one; one index is transparent.
  constexpr char keep_and_transparent = 1 << 2 | 1;
  bytes_ += std::string("\x21\xf9\x04", 3) + keep_and_transparent +
            short_number(static_cast<int>(std::lround(100.0 * seconds))) +
            static_cast<char>(palette.transparent()) + '\0';
  unsigned const bits = palette.bits();
  char const local_table = static_cast<char>(0x80U | (bits - 1));
  bytes_ += ',' + short_number(part.left) + short_number(part.top) +
            short_number(part.right - part.left) + short_number(part.bottom - part.top) +
            local_table;
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    Colour const colour = i < palette.colours.size() ? palette.colours[i] : Colour{};
    for (std::uint8_t const channel : colour) bytes_ += static_cast<char>(channel);
  }
  bytes_ += static_cast<char>(bits) + in_blocks(lzw(indices, bits));
}

std::string GifWriter::finish() { return std::move(bytes_) + ';'; }

}  // namespace isotherm
