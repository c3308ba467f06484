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

// Before there are threads, of which one may be in the library while another asks.
std::string const version = ask_library();

}  // namespace

std::string hdf5_version() { return version; }

}  // namespace isotherm
