#include "io/values/value_source.hpp"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <sys/stat.h>

#include "io/files/presence.hpp"

namespace isotherm {

std::int64_t RequiredShape::count() const {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1}, std::multiplies<>());
}

std::string shape_words(std::vector<std::int64_t> const& lengths) {
  return fmt::format("({})", fmt::join(lengths, ", "));
}

void check_shape(std::vector<std::int64_t> found, RequiredShape const& wanted,
                 std::string const& where) {
  bool const planar = wanted.lengths.size() == 2 && found.size() == 3 && found[0] == 1;
  if (planar) found.erase(found.begin());
  if (found == wanted.lengths) return;
  throw InputError(fmt::format("{}: its shape is {}, {} is {} ({})", where, shape_words(found),
                               wanted.whose, shape_words(wanted.lengths), wanted.axes));
}

Extent3 in_order(std::vector<std::int64_t> const& lengths) {
  Extent3 points{1, 1, 1};
  int axis = 0;
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) points[axis++] = *length;
  return points;
}

Descriptor open_values(std::filesystem::path const& path) {
  require_readable_file(path);
  try {
    return open_file(path, O_RDONLY);
  } catch (Error const& failure) {
    throw InputError(failure.what());
  }
}

std::uint64_t size_of(Descriptor const& file, std::filesystem::path const& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_on("read", path);
  return static_cast<std::uint64_t>(status.st_size);
}

void read_or_refuse(Descriptor const& file, std::uint64_t offset, void* to, std::size_t bytes,
                    std::filesystem::path const& path) {
  try {
    read_at(file, offset, to, bytes, path);
  } catch (Error const& failure) {
    throw InputError(failure.what());
  }
}

std::string quoted_text(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string plain(text.substr(0, longest));
  std::ranges::replace_if(
      plain, [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + plain + '"';
}

template <class Real>
void ValuesInMemory::copy(GlobalBox box, Real* values) const {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      auto const row = values_.begin() + points_.x * (j + points_.y * k);
      values = std::transform(row + box.lower.x, row + box.upper.x, values,
                              [](double value) { return static_cast<Real>(value); });
    }
  }
}

template void ValuesInMemory::copy(GlobalBox, float*) const;
template void ValuesInMemory::copy(GlobalBox, double*) const;

}  // namespace isotherm
