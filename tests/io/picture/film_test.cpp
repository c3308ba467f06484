#include "io/picture/film/film.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "io/picture/figure/figure.hpp"
#include "io/picture/film/gif.hpp"
#include "tests/io/picture/whole_views.hpp"
#include "tests/support/sanitized.hpp"

// Films: animated GIFs and PNGs, and pictures that can be drawn again.

namespace isotherm::test {
namespace {

/// A decoder of animated GIFs, which shares no code with the writer.
class Gif {
 public:
  explicit Gif(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_TRUE(bytes_.starts_with("GIF89a"));
    size_ = {short_at(6), short_at(8)};
    screen_.size = size_;
    screen_.pixels.resize(static_cast<std::size_t>(size_.width) *
                          static_cast<std::size_t>(size_.height));
    at_ = 13;
    while (bytes_.at(at_) != ';') read_block();
    EXPECT_EQ(at_ + 1, bytes_.size());
  }
  std::vector<Image> frames{};
  std::vector<int> delays{};  ///< in hundredths of a second
  bool repeats = false;

 private:
  [[nodiscard]] int byte_at(std::size_t at) const {
    return static_cast<unsigned char>(bytes_.at(at));
  }
  [[nodiscard]] int short_at(std::size_t at) const { return byte_at(at) + 256 * byte_at(at + 1); }

  /// Joins data blocks, up to the empty one.
  std::string data() {
    std::string all;
    while (byte_at(at_) > 0) {
      all += bytes_.substr(at_ + 1, static_cast<std::size_t>(byte_at(at_)));
      at_ += 1 + static_cast<std::size_t>(byte_at(at_));
    }
    ++at_;
    return all;
  }
  void read_block() {
    if (byte_at(at_) == 0x21) {
      int const kind = byte_at(at_ + 1);
      at_ += 2;
      std::size_t const first = at_ + 1;
      if (kind == 0xf9) {
        delays.push_back(short_at(first + 1));
        transparent_ = (byte_at(first) & 1) != 0 ? byte_at(first + 3) : -1;
      }
      repeats = data().starts_with("NETSCAPE2.0") || repeats;
      return;
    }
    EXPECT_EQ(byte_at(at_), 0x2c);
    read_image();
  }
  void read_image() {
    int const left = short_at(at_ + 1);
    int const top = short_at(at_ + 3);
    int const width = short_at(at_ + 5);
    int const height = short_at(at_ + 7);
    int const flags = byte_at(at_ + 9);
    EXPECT_EQ(flags & 0xf8, 0x80) << "a table of colours of its own";
    std::size_t const table = at_ + 10;
    at_ = table + 3 * (std::size_t{2} << static_cast<unsigned>(flags & 7));
    auto const bits = static_cast<unsigned>(byte_at(at_++));
    EXPECT_EQ(bits, static_cast<unsigned>(flags & 7) + 1);
    auto const indices = decoded(data(), bits);
    ASSERT_EQ(indices.size(), static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] == transparent_) continue;
      std::size_t const x = static_cast<std::size_t>(left) + i % static_cast<std::size_t>(width);
      std::size_t const y = static_cast<std::size_t>(top) + i / static_cast<std::size_t>(width);
      std::size_t const entry = table + 3 * static_cast<std::size_t>(indices[i]);
      screen_.pixels.at(y * static_cast<std::size_t>(size_.width) + x) = {
          static_cast<std::uint8_t>(byte_at(entry)), static_cast<std::uint8_t>(byte_at(entry + 1)),
          static_cast<std::uint8_t>(byte_at(entry + 2))};
    }
    frames.push_back(screen_);
  }
  /// Decodes LZW.
  static std::vector<int> decoded(std::string const& data, unsigned index_bits) {
    std::size_t const clear = std::size_t{1} << index_bits;
    std::vector<std::vector<int>> table;
    unsigned bits = 0;
    auto const reset = [&] {
      table.assign(clear + 2, {});
      for (std::size_t i = 0; i < clear; ++i) table[i] = {static_cast<int>(i)};
      bits = index_bits + 1;
    };
    reset();
    std::vector<int> result;
    std::vector<int> previous;
    std::size_t position = 0;
    while (position + bits <= 8 * data.size()) {
      std::size_t code = 0;
      for (unsigned i = 0; i < bits; ++i, ++position) {
        std::size_t const bit =
            static_cast<unsigned char>(data[position / 8]) >> (position % 8) & 1U;
        code |= bit << i;
      }
      if (code == clear) {
        reset();
        previous.clear();
        continue;
      }
      if (code == clear + 1) return result;
      EXPECT_LE(code, table.size());
      std::vector<int> entry = code < table.size() ? table[code] : previous;
      if (code == table.size()) entry.push_back(previous.front());
      result.insert(result.end(), entry.begin(), entry.end());
      if (!previous.empty() && table.size() < 4096) {
        previous.push_back(entry.front());
        table.push_back(previous);
        if (table.size() == std::size_t{1} << bits && bits < 12) ++bits;
      }
      previous = entry;
    }
    ADD_FAILURE() << "there is no end of the data";
    return result;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  PixelSize size_{};
  Image screen_{};
  int transparent_ = -1;
};

/// An image with up to `colours` colours in an irregular pattern.
Image pattern(PixelSize size, unsigned colours, unsigned seed) {
  Image image{size};
  std::uint64_t state = seed;
  for (int i = 0; i < size.width * size.height; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    auto const number = static_cast<std::uint8_t>((state >> 40U) % colours);
    image.pixels.push_back({number, static_cast<std::uint8_t>(255 - number), 7});
  }
  return image;
}

TEST(GifWriter, KeepsUpTo255Colours) {
  PixelSize const size{200, 150};
  // Noise fills the table of codes several times; a pattern of one colour makes the longest ones.
  std::vector<Image> images{pattern(size, 255, 1), pattern(size, 1, 1), pattern(size, 2, 5)};
  images.push_back(images.back());
  images.back().pixels[200 * 75 + 100] = {9, 9, 9};
  images.push_back(images.back());
  GifWriter writer(size);
  for (Image const& image : images) writer.add(image, 0.25);

  Gif const gif(writer.finish());

  EXPECT_TRUE(gif.repeats);
  EXPECT_EQ(gif.delays, std::vector<int>(images.size(), 25));
  ASSERT_EQ(gif.frames.size(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    EXPECT_EQ(gif.frames[i].pixels, images[i].pixels) << i;
  }
}

TEST(GifWriter, ApproximatesManyColours) {
  Image image{{256, 64}};
  for (int i = 0; i < 256 * 64; ++i) {
    image.pixels.push_back({static_cast<std::uint8_t>(i % 256), static_cast<std::uint8_t>(i / 256),
                            static_cast<std::uint8_t>(255 - i % 256)});
  }
  GifWriter writer(image.size);
  writer.add(image, 1.0);

  Gif const gif(writer.finish());

  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      int const difference = gif.frames[0].pixels[i][channel] - image.pixels[i][channel];
      ASSERT_LE(std::abs(difference), 8);
    }
  }
}

/// Small changes leave pixels as they are, but do not add up: each frame is near its image.
TEST(GifWriter, KeepsPixelsThatHardlyChange) {
  constexpr int frames = 8;
  std::vector<Image> images;
  for (int frame = 0; frame < frames; ++frame) {
    Image image{{256, 64}};
    for (int i = 0; i < 256 * 64; ++i) {
      image.pixels.push_back(
          {static_cast<std::uint8_t>(i % 240 + frame), static_cast<std::uint8_t>(i / 256 % 4), 7});
    }
    images.push_back(image);
  }
  GifWriter alone(images[0].size);
  alone.add(images[0], 1.0);
  GifWriter writer(images[0].size);
  for (Image const& image : images) writer.add(image, 1.0);

  std::string const bytes = writer.finish();
  Gif const gif(bytes);

  EXPECT_LT(bytes.size(), frames / 2 * alone.finish().size());
  for (std::size_t frame = 0; frame < images.size(); ++frame) {
    for (std::size_t i = 0; i < images[frame].pixels.size(); ++i) {
      int const red = gif.frames[frame].pixels[i][0] - images[frame].pixels[i][0];
      ASSERT_LE(std::abs(red), 6) << frame;
    }
  }
}

/// A field that rises with x from 0 to 3/4 of `top`, on a graded axis, with a material and excluded
/// points, and with the surfaces in two cells.
std::vector<View> field_up_to(double top) {
  Grid const grid =
      with_coordinates(make_grid(2, {4, 3, 1}, {}, {4, 3, 0}, {}), 0, {0.0, 1.0, 2.5, 4.0});
  SliceSamples samples{4, 3};
  samples.column_places = {0.0, 0.25, 0.625, 1.0};
  for (int i = 0; i < 12; ++i) {
    samples.values.push_back(top * (i % 4) / 4.0);  // exact in float32
    samples.materials.push_back(i == 0 ? SliceSamples::excluded : i % 4 == 1 ? 2 : 0);
  }
  samples.surfaces = {2, {0, 1}, {SliceSamples::excluded, 0, 2, 2, 2, 0, 2, 0}};
  return whole_views(grid, {samples});
}

PictureOptions film_options(std::string const& title) {
  PictureOptions options{title};
  options.look.contours = 4;
  options.look.label = "Temperature, °C";
  options.look.length = {"mm", 1000.0};
  if (is_sanitized) options.look.width = 400;
  options.keeps_samples = true;
  return options;
}

class Film : public testing::Test {
 protected:
  Film() {
    std::string name = testing::TempDir() + "isotherm_film_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    directory = name;
  }
  ~Film() override { std::filesystem::remove_all(directory); }
  void write(std::string const& name, std::string const& bytes) const {
    std::ofstream(directory / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string read(std::string const& name) const {
    std::ifstream file(directory / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path directory;
};

TEST_F(Film, DrawsPicturesAgainWithOneRange) {
  std::vector<double> const tops{1.0, 8.0, 3.0};
  for (std::size_t i = 0; i < tops.size(); ++i) {
    // The number decides on the order, not the name.
    write("u_" + std::string(6 - i, '0') + std::to_string(20 - i) + ".png",
          picture_bytes(field_up_to(tops[i]), {0.0, tops[i]}, film_options("film")));
  }
  write("u_initial.png", "no frame");
  write("u_000099.png", "of an earlier run");

  auto const pictures = numbered_pictures(directory, 50);
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].filename(), "u_000018.png");
  auto const frames = frames_of_pictures(pictures);

  for (std::size_t i = 0; i < tops.size(); ++i) {
    auto const expected = drawn_figure(field_up_to(tops[2 - i]), {0.0, 8.0}, film_options("film"));
    EXPECT_EQ(frames.at(i), expected) << i;
  }
  // With another look.
  auto const changed = frames_of_pictures(pictures, [](PictureOptions& options) {
    options.look.values = Range{0.0, 5.0};
    options.look.colour_map = "gray";
  });
  PictureOptions grey = film_options("film");
  grey.look.colour_map = "gray";
  grey.look.values = Range{0.0, 5.0};
  EXPECT_EQ(changed.at(1), drawn_figure(field_up_to(8.0), {0.0, 5.0}, grey));
}

TEST_F(Film, PicturesKeepSurfacesPlanesAndMarks) {
  std::vector<View> views = field_up_to(1.0);
  views[0].normal_axis = "z";
  views[0].normal_place = 0.123456789;
  views[0].marks = {{0.25, 0.75}};
  auto const frame = frame_in(picture_bytes(views, {0.0, 1.0}, film_options("film")));
  ASSERT_TRUE(frame);
  SliceSamples const& kept = frame->views.at(0).samples;
  EXPECT_EQ(frame->views[0].normal_place, 0.123456789);
  ASSERT_EQ(frame->views[0].marks.size(), 1U);
  EXPECT_EQ(frame->views[0].marks[0].right, 0.25);
  EXPECT_EQ(frame->views[0].marks[0].up, 0.75);
  EXPECT_EQ(frame->options.look.length, (LengthUnit{"mm", 1000.0}));
  // The lower left quarter of the first cell is excluded, and its lower right one is not.
  EXPECT_EQ(kept.material_at(0.05, 0.1), SliceSamples::excluded);
  EXPECT_EQ(kept.material_at(0.20, 0.1), 0);
  EXPECT_EQ(kept.material_at(0.05, 0.4), 2);
}

TEST_F(Film, IsAnAnimatedPngOrGif) {
  std::vector<std::string> frames;
  for (double const top : {1.0, 2.0, 4.0}) {
    frames.push_back(drawn_figure(field_up_to(top), {0.0, 4.0}, film_options("film")));
  }
  PixelSize const size = write_film(directory / "film.png", frames, {10.0, 2.0});
  (void)write_film(directory / "film.gif", frames, {10.0, 2.0});
  std::string const png = read("film.png");
  Gif const gif(read("film.gif"));

  EXPECT_EQ(size, png_size(frames[0]));
  EXPECT_EQ(gif.delays, (std::vector<int>{10, 10, 200}));
  std::vector<std::string> controls;
  std::vector<std::string> data;
  for (PngChunk const& chunk : png_chunks(png)) {
    if (chunk.type == "acTL") {
      EXPECT_EQ(number_in(chunk.data), 3U);
    } else if (chunk.type == "fcTL") {
      controls.emplace_back(chunk.data);
      data.emplace_back();
    } else if (chunk.type == "IDAT") {
      data.back() += chunk.data;
    } else if (chunk.type == "fdAT") {
      data.back() += chunk.data.substr(4);
    }
  }
  ASSERT_EQ(controls.size(), 3U);
  EXPECT_EQ(controls[2].substr(20, 4), std::string("\x07\xd0\x03\xe8", 4)) << "2000/1000 s";
  // Each frame is one of the pictures, pixel by pixel.
  Image const first = decoded_png(png);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    std::string alone(png_signature());
    append_chunk(alone, "IHDR", png_chunks(png).front().data);
    append_chunk(alone, "IDAT", data[i]);
    append_chunk(alone, "IEND", "");
    EXPECT_EQ(decoded_png(alone).pixels, decoded_png(frames[i]).pixels) << i;
  }
  EXPECT_EQ(first.pixels, decoded_png(frames[0]).pixels) << "what other programs show";
  ASSERT_EQ(gif.frames.size(), 3U);
  EXPECT_EQ(gif.frames[2].size, size);
}

TEST_F(Film, PutsSmallerFramesOnAWhiteSheet) {
  PixelSize const large{20, 30};
  std::vector<std::string> const frames{encoded_png(pattern({12, 31}, 9, 1)),
                                        encoded_png(pattern(large, 9, 2))};

  PixelSize const size = write_film(directory / "film.gif", frames, {});

  EXPECT_EQ(size, (PixelSize{20, 32})) << "even numbers";
  Gif const gif(read("film.gif"));
  EXPECT_EQ(gif.frames[0].pixels[13], (Colour{255, 255, 255}));
  EXPECT_EQ(gif.frames[0].pixels[3], pattern({12, 31}, 9, 1).pixels[3]);
}

TEST_F(Film, RefusesDamagedPictures) {
  std::string const sound = picture_bytes(field_up_to(2.0), {0.0, 2.0}, film_options("film"));
  write("u_000001.png", sound.substr(0, sound.size() / 2));
  EXPECT_THROW((void)frames_of_pictures({directory / "u_000001.png"}), InputError);
  // Each byte of the samples in turn.
  auto const begin = sound.find("isTm");
  ASSERT_NE(begin, std::string::npos);
  for (std::size_t i = 4; i < 400 && begin + i < sound.size(); ++i) {
    std::string damaged = sound;
    damaged[begin + i] = static_cast<char>(damaged[begin + i] ^ 0x55);
    try {
      (void)frame_in(damaged);
    } catch (InputError const&) {
    }
  }
  EXPECT_THROW(require_film_format("film.avi"), InputError);
}

TEST(ColourMap, HasDistinctColoursBeyondItsEnds) {
  auto const distance = [](Colour a, Colour b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  for (std::string const& name : colour_map_names()) {
    ColourMap const map(name);
    ColourMap const reversed(name + "_r");
    EXPECT_EQ(map(0.25), reversed(0.75)) << name;
    EXPECT_EQ(map(-1e-9), map(0.0)) << "except for rounding";
    EXPECT_EQ(map(1.1), map.above());
    EXPECT_EQ(reversed(1.1), map.below());
    for (Colour const beyond : {map.below(), map.above(), ColourMap::not_a_number()}) {
      for (int i = 0; i <= 64; ++i) {
        EXPECT_GT(distance(map(i / 64.0), beyond), 20.0) << name << ' ' << i;
      }
    }
  }
  // Published values: https://bids.github.io/colormap.
  EXPECT_EQ(ColourMap("viridis")(0.0), (Colour{68, 1, 84}));
  EXPECT_EQ(ColourMap("viridis")(1.0), (Colour{253, 231, 37}));
  EXPECT_EQ(ColourMap("coolwarm")(0.5), (Colour{221, 221, 221}));
  EXPECT_FALSE(is_colour_map("jet"));
  EXPECT_THROW(ColourMap("jet"), InputError);
}

TEST(ColourMap, SequentialMapsBecomeLighter) {
  for (std::string const name : {"isotherm", "viridis", "magma", "inferno", "plasma", "gray"}) {
    ColourMap const map(name);
    for (int i = 0; i < 32; ++i) {
      EXPECT_LT(luminance(map(i / 32.0)), luminance(map((i + 1) / 32.0))) << name << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
