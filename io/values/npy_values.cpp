#include "io/values/npy_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace isotherm {
namespace {

/// The type of the values in a file, as NumPy names it: "<f8" is a little-endian float64.
struct ValueType {
  char kind = 'f';  ///< 'f', 'i', 'u' or 'b'
  std::size_t bytes = sizeof(double);
  bool swapped = false;  ///< true if the byte order is not this machine's
};

/// What the header of an array file states.
struct Header {
  ValueType type{};
  bool fortran = false;  ///< true if the first axis is the fastest
  std::vector<std::int64_t> shape{};
  std::uint64_t begin = 0;  ///< offset of the values
};

/// Longest header that is read, in bytes. NumPy's own limit for trusted files is 10000.
constexpr std::size_t max_header = 65536;

/// Reads the header's text, a dictionary of Python with the keys descr, fortran_order and shape.
class HeaderText {
 public:
  HeaderText(std::string_view text, std::string const& where) : text_(text), where_(where) {}

  [[nodiscard]] ValueType type() const {
    std::string_view const said = after("descr");
    auto const end = said.size() > 1 && said[0] == '\'' ? said.find('\'', 1) : std::string::npos;
    if (end == std::string::npos) fail("has values of several fields (needs real numbers)");
    std::string_view const name = said.substr(1, end - 1);
    auto const found = parse_type(name);
    if (!found) {
      fail(fmt::format("has values of the type {} (needs real numbers of at most 8 bytes)",
                       quoted_text(name)));
    }
    return *found;
  }
  [[nodiscard]] bool fortran() const { return after("fortran_order").starts_with("True"); }
  [[nodiscard]] std::vector<std::int64_t> shape() const {
    constexpr std::size_t max_axes = 32;
    std::string_view rest = after("shape");
    if (!rest.starts_with('(')) damaged();
    rest.remove_prefix(1);
    std::vector<std::int64_t> lengths;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
      if (rest.starts_with(')')) return lengths;
      std::int64_t length = 0;
      auto const [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
      if (error != std::errc() || length < 0 || lengths.size() == max_axes) damaged();
      lengths.push_back(length);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
  }

 private:
  /// Returns the text that follows the colon of a key.
  [[nodiscard]] std::string_view after(std::string const& key) const {
    auto const at = text_.find('\'' + key + '\'');
    auto const colon = at == std::string::npos ? at : text_.find(':', at);
    if (colon == std::string::npos) damaged();
    std::string_view const rest = text_.substr(colon + 1);
    return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  static std::optional<ValueType> parse_type(std::string_view name) {
    if (name.size() != 3) return std::nullopt;
    ValueType const type{name[1], static_cast<std::size_t>(name[2] - '0'),
                         name[0] == (std::endian::native == std::endian::little ? '>' : '<')};
    std::string_view const sizes = type.kind == 'f'                       ? "248"
                                   : type.kind == 'i' || type.kind == 'u' ? "1248"
                                   : type.kind == 'b'                     ? "1"
                                                                          : "";
    bool const known = std::string_view("<>|=").find(name[0]) != std::string::npos;
    return known && sizes.find(name[2]) != std::string::npos ? std::optional(type) : std::nullopt;
  }
  [[noreturn]] void fail(std::string const& what) const { throw InputError(where_ + ' ' + what); }
  [[noreturn]] void damaged() const { fail("is damaged: its header is not that of an array"); }

  std::string_view text_;
  std::string const& where_;
};

/// Returns a little-endian unsigned number.
std::uint64_t number_in(unsigned char const* bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = number << 8 | bytes[i - 1];
  return number;
}

Header read_header(ArrayBytes const& bytes, std::string const& where) {
  constexpr std::string_view magic = "\x93NUMPY";
  std::array<unsigned char, 12> start{};
  std::size_t const begin = std::min<std::uint64_t>(bytes.size, start.size());
  bytes.read(0, start.data(), begin);
  bool const is_array =
      begin == start.size() && std::memcmp(start.data(), magic.data(), magic.size()) == 0;
  if (!is_array) throw InputError(where + " is not a file of numpy.save()");
  if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
    throw InputError(fmt::format("{} is an array file of version {}.{} (needs 1.0, 2.0 or 3.0)",
                                 where, start[6], start[7]));
  }
  // Version 1 has a length of two bytes, later ones of four.
  std::size_t const digits = start[6] == 1 ? 2 : 4;
  std::uint64_t const length = number_in(start.data() + 8, digits);
  std::uint64_t const end = 8 + digits + length;
  if (length > max_header || end > bytes.size) {
    throw InputError(where + " is damaged: its header is not that of an array");
  }
  std::string text(length, ' ');
  bytes.read(8 + digits, text.data(), text.size());
  HeaderText const header(text, where);
  return {header.type(), header.fortran(), header.shape(), end};
}

/// Returns the number in a half-precision pattern (IEEE 754 binary16).
float half_of(std::uint16_t bits) {
  constexpr int mantissa_bits = 10, bias = 15, all_ones = 31;
  int const exponent = (bits >> mantissa_bits) & all_ones;
  auto const mantissa = static_cast<float>(bits & 0x3ff) / 1024.0F;
  float size = std::ldexp(exponent == 0 ? mantissa : 1.0F + mantissa, std::max(exponent, 1) - bias);
  if (exponent == all_ones) size = mantissa == 0.0F ? HUGE_VALF : NAN;
  return (bits & 0x8000) != 0 ? -size : size;
}

/// Returns the value of the type Stored at an address of any alignment.
template <class Stored>
Stored stored_at(unsigned char const* from, bool swapped) {
  std::array<unsigned char, sizeof(Stored)> bytes{};
  std::copy_n(from, sizeof(Stored), bytes.begin());
  if (swapped) std::ranges::reverse(bytes);
  return std::bit_cast<Stored>(bytes);
}

/// Calls `work` with a function that decodes the value at an address.
template <class Work>
void with_decoder(ValueType type, Work const& work) {
  auto const decode = [&]<class Stored>(Stored /*example*/) {
    work([swapped = type.swapped](unsigned char const* from) {
      return stored_at<Stored>(from, swapped);
    });
  };
  bool const is_signed = type.kind == 'i';
  if (type.kind == 'b') return work([](unsigned char const* from) { return *from != 0 ? 1 : 0; });
  if (type.kind == 'f' && type.bytes == 2) {
    return work([swapped = type.swapped](unsigned char const* from) {
      return half_of(stored_at<std::uint16_t>(from, swapped));
    });
  }
  if (type.kind == 'f') return type.bytes == 4 ? decode(float{}) : decode(double{});
  switch (type.bytes) {
    case 1:
      return is_signed ? decode(std::int8_t{}) : decode(std::uint8_t{});
    case 2:
      return is_signed ? decode(std::int16_t{}) : decode(std::uint16_t{});
    case 4:
      return is_signed ? decode(std::int32_t{}) : decode(std::uint32_t{});
    default:
      return is_signed ? decode(std::int64_t{}) : decode(std::uint64_t{});
  }
}

/// An array file, whose values are read on demand.
class NpyValues final : public ValueSource {
 public:
  NpyValues(ArrayBytes bytes, std::string where, Header const& header)
      : bytes_(std::move(bytes)),
        where_(std::move(where)),
        type_(header.type),
        begin_(header.begin),
        points_(in_order(header.shape)) {
    auto const rank = static_cast<int>(header.shape.size());
    std::int64_t stride = 1;
    for (int n = 0; n < 3; ++n) {
      int const axis = header.fortran && n < rank ? rank - 1 - n : n;
      if (n == 0) fastest_ = axis;
      strides_[axis] = stride;
      stride *= points_[axis];
    }
    // A leading axis of one point is not the fastest one in effect.
    while (fastest_ > 0 && points_[fastest_] == 1) --fastest_;
  }

  [[nodiscard]] std::string const& where() const override { return where_; }
  [[nodiscard]] Extent3 points() const override { return points_; }
  [[nodiscard]] Extent3 chunk() const override {
    constexpr std::int64_t values_in_run = 256;  // along an axis that is fastest in the file only
    Extent3 chunk{1, 1, 1};
    if (fastest_ != 0) chunk[fastest_] = std::min(points_[fastest_], values_in_run);
    return chunk;
  }
  [[nodiscard]] bool fits_float32() const override {
    return type_.kind == 'f' ? type_.bytes <= sizeof(float) : type_.bytes <= 2;
  }
  void verify() const override {
    if (bytes_.verify) bytes_.verify();
  }
  void read(GlobalBox box, float* values) const override { read_box(box, values); }
  void read(GlobalBox box, double* values) const override { read_box(box, values); }

 private:
  /// Reads the runs of a box that are contiguous in the file, along its fastest axis.
  template <class Real>
  void read_box(GlobalBox box, Real* values) const {
    if (box.empty()) return;
    Extent3 const n = box.extent();
    Index3 const strides{1, n.x, n.x * n.y};  // of the result
    GlobalBox starts = box;
    starts.upper[fastest_] = box.lower[fastest_] + 1;
    std::vector<unsigned char> run(static_cast<std::size_t>(n[fastest_]) * type_.bytes);
    with_decoder(type_, [&](auto const& decode) {
      for (Index3 at = starts.lower; at.z < starts.upper.z; ++at.z) {
        for (at.y = starts.lower.y; at.y < starts.upper.y; ++at.y) {
          for (at.x = starts.lower.x; at.x < starts.upper.x; ++at.x) {
            read_run(at, run);
            Index3 const from = at - box.lower;
            Real* to = values + from.x + strides.y * from.y + strides.z * from.z;
            for (std::size_t i = 0; i < run.size(); i += type_.bytes, to += strides[fastest_]) {
              *to = static_cast<Real>(decode(run.data() + i));
            }
          }
        }
      }
    });
  }

  void read_run(Index3 at, std::vector<unsigned char>& run) const {
    auto const index =
        static_cast<std::uint64_t>(at.x * strides_.x + at.y * strides_.y + at.z * strides_.z);
    bytes_.read(begin_ + index * type_.bytes, run.data(), run.size());
  }

  ArrayBytes bytes_;
  std::string where_;
  ValueType type_;
  std::uint64_t begin_;
  Extent3 points_;
  int fastest_ = 0;   ///< the axis along which values are adjacent in the file
  Index3 strides_{};  ///< of the file, in values
};

}  // namespace

std::unique_ptr<ValueSource> open_array(ArrayBytes bytes, std::string where,
                                        RequiredShape const& wanted) {
  Header const header = read_header(bytes, where);
  check_shape(header.shape, wanted, where);
  auto const needed = static_cast<std::uint64_t>(wanted.count()) * header.type.bytes;
  std::uint64_t const present = bytes.size - header.begin;
  if (present < needed) {
    throw InputError(fmt::format("{} is truncated: it has {} bytes of values, its shape needs {}",
                                 where, present, needed));
  }
  if (present > needed) {
    throw InputError(
        fmt::format("{} has {} bytes after its array, whose shape needs {} (save one array by "
                    "numpy.save() into a file of its own)",
                    where, present - needed, needed));
  }
  return std::make_unique<NpyValues>(std::move(bytes), std::move(where), header);
}

std::unique_ptr<ValueSource> open_npy(std::filesystem::path const& path,
                                      RequiredShape const& wanted) {
  auto const file = std::make_shared<Descriptor const>(open_values(path));
  auto const read = [file, path](std::uint64_t offset, void* to, std::size_t count) {
    read_or_refuse(*file, offset, to, count, path);
  };
  return open_array({size_of(*file, path), read}, path.string(), wanted);
}

}  // namespace isotherm
