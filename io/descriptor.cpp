#include "io/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

namespace isotherm {

void DescriptorTraits::close(Handle descriptor) noexcept { (void)::close(descriptor); }

void fail_on(char const* what, std::filesystem::path const& path, Where where) {
  throw Error(
      fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(errno)),
      where);
}

Descriptor open_file(std::filesystem::path const& path, int flags) {
  constexpr mode_t for_all = 0666;
  Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, for_all));
  if (descriptor.get() < 0) {
    fail_on("open", path);
  }
  return descriptor;
}

}  // namespace isotherm
