#include "kernels/sweep/shaped_plans.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns the bytes of shared memory of a block of "shared": its points and their neighbours.
std::size_t staged_bytes(BlockShape shape, int dimension, Precision precision) {
  std::int64_t const planes = dimension == 3 ? shape.z + 2 : 1;
  auto const values = static_cast<std::size_t>(std::int64_t{shape.x + 2} * (shape.y + 2) * planes);
  return values * value_bytes(precision);
}

/// Returns why blocks of a kernel cannot have this shape, or an empty text.
std::string obstacle_to(std::string_view kernel, BlockShape shape, int dimension,
                        Precision precision) {
  constexpr int max_threads = 1024;
  constexpr int max_threads_z = 64;
  constexpr std::size_t max_bytes = std::size_t{48} << 10;
  if (shape.threads() > max_threads) {
    return "a block has " + std::to_string(shape.threads()) + " threads (needs at most " +
           std::to_string(max_threads) + ")";
  }
  if (dimension == 2 && shape.z > 1) return "in 2D a shape has two numbers, as in 32x8";
  if (shape.z > max_threads_z) return "a block has at most 64 threads along z";
  std::size_t const bytes = staged_bytes(shape, dimension, precision);
  if (kernel == "shared" && bytes > max_bytes) {
    return "a block needs " + std::to_string(bytes) + " bytes of shared memory (has " +
           std::to_string(max_bytes) + ")";
  }
  return "";
}

}  // namespace

std::optional<BlockShape> parse_block_shape(std::string_view text) {
  std::array<int, 3> numbers{1, 1, 1};
  std::size_t count = 0;
  char const* at = text.data();
  char const* const end = at + text.size();
  for (int& number : numbers) {
    auto const [next, status] = std::from_chars(at, end, number);
    if (status != std::errc{} || number < 1 || number > 1024) return std::nullopt;
    ++count;
    at = next;
    if (at == end) break;
    if (*at++ != 'x') return std::nullopt;
  }
  if (at != end || text.back() == 'x' || count < 2) return std::nullopt;
  return BlockShape{numbers[0], numbers[1], numbers[2]};
}

std::vector<std::string> shaped_kernels(Backend backend) {
  if (backend == Backend::cpu) return {};
  return {"plain", "march", "shared"};
}

std::optional<SweepPlan> shaped_plan(Backend backend, int dimension, Precision precision,
                                     std::string const& name) {
  std::size_t const blank = name.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  std::string const kernel = name.substr(0, blank);
  std::vector<std::string> const kernels = shaped_kernels(backend);
  if (std::ranges::find(kernels, kernel) == kernels.end()) return std::nullopt;
  auto const shape = parse_block_shape(std::string_view(name).substr(blank + 1));
  if (!shape) return std::nullopt;
  std::string const obstacle = obstacle_to(kernel, *shape, dimension, precision);
  if (!obstacle.empty()) throw InputError("the sweep plan \"" + name + "\": " + obstacle);
  return SweepPlan{name, 1, name.substr(blank + 1)};
}

}  // namespace isotherm
