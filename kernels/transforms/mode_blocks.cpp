#include "kernels/transforms/mode_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// The parity of a mode: its value at point n − 1 − p is `sign` times that at point p.
enum class Parity { even, odd, neither };

/// Access to the matrices of an axis by indices.
class Entries {
 public:
  explicit Entries(ModeMatrices const& modes) : modes_(modes) {}
  [[nodiscard]] double to_modes(int point, int mode) const {
    return modes_.to_modes[at(point, mode)];
  }
  [[nodiscard]] double to_points(int mode, int point) const {
    return modes_.to_points[at(mode, point)];
  }
  [[nodiscard]] int count() const { return modes_.count; }
  [[nodiscard]] int mirror(int point) const { return modes_.count - 1 - point; }

 private:
  [[nodiscard]] std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(modes_.count) +
           static_cast<std::size_t>(column);
  }
  ModeMatrices const& modes_;
};

/// Returns true if value(n − 1 − p) equals sign · value(p) for all p, up to rounding.
template <class Value>
bool is_mirrored(int count, double sign, Value const& value) {
  constexpr double rounding = 64.0 * std::numeric_limits<double>::epsilon();
  double largest = 0.0;
  double difference = 0.0;
  for (int p = 0; p < count; ++p) {
    largest = std::max(largest, std::abs(value(p)));
    difference = std::max(difference, std::abs(value(count - 1 - p) - sign * value(p)));
  }
  return difference <= rounding * largest;
}

Parity parity_of(Entries const& entries, int mode) {
  for (Parity const parity : {Parity::even, Parity::odd}) {
    double const sign = parity == Parity::even ? 1.0 : -1.0;
    if (is_mirrored(entries.count(), sign, [&](int p) { return entries.to_points(mode, p); }) &&
        is_mirrored(entries.count(), sign, [&](int p) { return entries.to_modes(p, mode); })) {
      return parity;
    }
  }
  return Parity::neither;
}

/// The numbers of the even and of the odd modes.
struct Parities {
  std::array<std::vector<int>, 2> modes{};
  bool are_complete = true;  ///< each mode has a parity, and the numbers fit those of the points
};

Parities parities_of(Entries const& entries) {
  Parities result;
  for (int mode = 0; mode < entries.count() && result.are_complete; ++mode) {
    Parity const parity = parity_of(entries, mode);
    result.are_complete = parity != Parity::neither;
    result.modes[parity == Parity::odd ? 1 : 0].push_back(mode);
  }
  int const odd = entries.count() / 2;
  result.are_complete = result.are_complete && static_cast<int>(result.modes[1].size()) == odd;
  return result;
}

/// Fills a block with the columns or rows of the modes of one parity. Entries at mirrored points
/// differ by rounding at most; the block contains their mean.
void fill_block(ModeBlocks& blocks, std::size_t block, Entries const& entries,
                std::vector<int> const& modes) {
  double const sign = block == 0 ? 1.0 : -1.0;
  auto const size = static_cast<int>(modes.size());
  SquareMatrix to_modes(size);
  SquareMatrix to_points(size);
  for (int m = 0; m < size; ++m) {
    int const mode = modes[static_cast<std::size_t>(m)];
    for (int p = 0; p < size; ++p) {
      int const other = entries.mirror(p);
      to_modes(p, m) = 0.5 * (entries.to_modes(p, mode) + sign * entries.to_modes(other, mode));
      to_points(m, p) = 0.5 * (entries.to_points(mode, p) + sign * entries.to_points(mode, other));
    }
  }
  blocks.to_modes[block] = to_modes;
  blocks.to_points[block] = to_points;
}

void check_sizes(ModeMatrices const& modes) {
  require(modes.count >= 1 && modes.count <= max_dense_points,
          "a dense transform of " + std::to_string(modes.count) + " points (1 to " +
              std::to_string(max_dense_points) + " are possible)");
  auto const n = static_cast<std::size_t>(modes.count);
  require(modes.eigenvalues.size() == n && modes.to_modes.size() == n * n &&
              modes.to_points.size() == n * n,
          "the matrices of a dense transform do not fit its number of points");
}

}  // namespace

ModeBlocks mode_blocks(ModeMatrices const& modes) {
  check_sizes(modes);
  ModeBlocks blocks;
  Entries const entries(modes);
  Parities const parities = parities_of(entries);
  if (modes.count == 1 || !parities.are_complete) {
    blocks.eigenvalues = modes.eigenvalues;
    blocks.to_modes[0].size = blocks.to_points[0].size = modes.count;
    blocks.to_modes[0].values = modes.to_modes;
    blocks.to_points[0].values = modes.to_points;
    return blocks;
  }
  blocks.is_mirrored = true;
  for (std::size_t block = 0; block < 2; ++block) {
    fill_block(blocks, block, entries, parities.modes[block]);
    for (int const mode : parities.modes[block]) {
      blocks.eigenvalues.push_back(modes.eigenvalues[static_cast<std::size_t>(mode)]);
    }
  }
  return blocks;
}

}  // namespace isotherm
