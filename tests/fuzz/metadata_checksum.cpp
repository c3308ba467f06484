#include "tests/fuzz/metadata_checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

namespace isotherm::test {
namespace {

std::uint32_t stored_at(std::string const& file, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

/// Returns the end of the part that begins at `begin`, if any following checksum matches.
std::optional<std::size_t> end_of_part(std::string const& file, std::size_t begin) {
  constexpr std::size_t longest = 4096;
  std::size_t const last = std::min(file.size(), begin + longest);
  for (std::size_t end = begin + 8; end + 4 <= last; ++end) {
    if (stored_at(file, end) == lookup3(std::string_view(file).substr(begin, end - begin)))
      return end;
  }
  return std::nullopt;
}

struct Mix {
  std::uint32_t a, b, c;

  void turn() {
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  void finish() {
    c ^= b, c -= std::rotl(b, 14);
    a ^= c, a -= std::rotl(c, 11);
    b ^= a, b -= std::rotl(a, 25);
    c ^= b, c -= std::rotl(b, 16);
    a ^= c, a -= std::rotl(c, 4);
    b ^= a, b -= std::rotl(a, 14);
    c ^= b, c -= std::rotl(b, 24);
  }
};

}  // namespace

std::uint32_t lookup3(std::string_view bytes) {
  std::uint32_t const start = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size());
  Mix mix{start, start, start};
  while (!bytes.empty()) {
    std::array<std::uint32_t, 3> words{};
    std::size_t const count = std::min<std::size_t>(bytes.size(), 12);
    std::memcpy(words.data(), bytes.data(), count);
    mix.a += words[0], mix.b += words[1], mix.c += words[2];
    bytes.remove_prefix(count);
    bytes.empty() ? mix.finish() : mix.turn();
  }
  return mix.c;
}

std::vector<CheckedPart> checked_parts(std::string const& file) {
  std::vector<CheckedPart> parts;
  for (char const* const sign : {"\x89HDF\r\n\x1a\n", "OHDR", "OCHK", "BTHD", "BTLF", "FRHP",
                                 "FHDB", "FADB", "EAHD", "FAHD"}) {
    for (std::size_t at = file.find(sign); at != std::string::npos; at = file.find(sign, at + 4)) {
      if (auto const end = end_of_part(file, at)) parts.push_back({at, *end});
    }
  }
  return parts;
}

void mend(std::string& file, CheckedPart const& part) {
  std::uint32_t const sum =
      lookup3(std::string_view(file).substr(part.begin, part.end - part.begin));
  std::memcpy(file.data() + part.end, &sum, sizeof sum);
}

}  // namespace isotherm::test
