#include "io/hdf5/library_version.hpp"

#include <hdf5.h>

namespace isotherm {

namespace {

std::string ask_library() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  (void)H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

// Asked during static initialisation: later, another thread might be in the library at the same
// time.
std::string const version = ask_library();

}  // namespace

std::string hdf5_version() { return version; }

}  // namespace isotherm
