#include "case/basics/existing_part.hpp"

namespace isotherm {

namespace fs = std::filesystem;

fs::path existing_part(fs::path const& path) {
  fs::path part = fs::absolute(path).lexically_normal();
  // symlink_status() does not follow links, so a broken link is treated as existing.
  while (!fs::exists(fs::symlink_status(part)) && part.has_relative_path()) {
    part = part.parent_path();
  }
  return part;
}

}  // namespace isotherm
