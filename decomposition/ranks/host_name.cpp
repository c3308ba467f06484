#include "decomposition/ranks/host_name.hpp"

#include <array>
#include <unistd.h>

namespace isotherm {

std::string host_name() {
  std::array<char, 256> name{};
  // One byte is spared: gethostname() may truncate a long name without a terminating zero.
  bool const known = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return known ? name.data() : "unknown-host";
}

}  // namespace isotherm
