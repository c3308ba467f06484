#include "case/basics/text/digest.hpp"

#include <array>
#include <cstdio>

namespace isotherm {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

std::string digest(std::string const& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char const letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return hexadecimal(hash);
}

}  // namespace isotherm
