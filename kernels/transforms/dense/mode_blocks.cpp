#include "kernels/transforms/dense/mode_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
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

/// Returns the numbers of the modes, from the largest eigenvalue to the smallest.
std::vector<int> descending_modes(ModeMatrices const& modes) {
  std::vector<int> order(static_cast<std::size_t>(modes.count));
  std::iota(order.begin(), order.end(), 0);
  auto const eigenvalue = [&](int mode) {
    return modes.eigenvalues[static_cast<std::size_t>(mode)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return eigenvalue(a) > eigenvalue(b); });
  return order;
}

/// The numbers of the even and of the odd modes.
struct Parities {
  std::array<std::vector<int>, 2> modes{};
  bool are_complete = true;  ///< each mode has a parity, and the numbers fit those of the points
};

Parities parities_of(Entries const& entries, std::vector<int> const& order) {
  Parities result;
  for (int const mode : order) {
    if (!result.are_complete) break;
    Parity const parity = parity_of(entries, mode);
    result.are_complete = parity != Parity::neither;
    result.modes[parity == Parity::odd ? 1 : 0].push_back(mode);
  }
  int const odd = entries.count() / 2;
  result.are_complete = result.are_complete && static_cast<int>(result.modes[1].size()) == odd;
  return result;
}

/// Fills block 0 with the columns or rows of all modes.
void fill_whole(ModeBlocks& blocks, Entries const& entries, std::vector<int> const& modes) {
  int const size = entries.count();
  blocks.to_modes[0] = blocks.to_points[0] = SquareMatrix(size);
  for (int m = 0; m < size; ++m) {
    int const mode = modes[static_cast<std::size_t>(m)];
    for (int p = 0; p < size; ++p) {
      blocks.to_modes[0](p, m) = entries.to_modes(p, mode);
      blocks.to_points[0](m, p) = entries.to_points(mode, p);
    }
  }
}

/// Fills a block with the columns or rows of the modes of one parity. Entries at mirrored points
/// differ by rounding at most; the block contains their mean.
void fill_parity(ModeBlocks& blocks, std::size_t block, Entries const& entries,
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

void check(ModeMatrices const& modes) {
  require(modes.count >= 1 && modes.count <= max_dense_points,
          "a dense transform of " + std::to_string(modes.count) + " points (1 to " +
              std::to_string(max_dense_points) + " are possible)");
  auto const n = static_cast<std::size_t>(modes.count);
  require(modes.eigenvalues.size() == n && modes.to_modes.size() == n * n &&
              modes.to_points.size() == n * n,
          "the matrices of a dense transform do not fit its number of points");
  require(std::all_of(modes.eigenvalues.begin(), modes.eigenvalues.end(),
                      [](double value) { return std::isfinite(value); }),
          "an eigenvalue of a dense transform is not finite");
}

}  // namespace

ModeBlocks mode_blocks(ModeMatrices const& modes) {
  check(modes);
  ModeBlocks blocks;
  Entries const entries(modes);
  std::vector<int> const order = descending_modes(modes);
  auto const append_eigenvalues = [&](std::vector<int> const& numbers) {
    for (int const mode : numbers) {
      blocks.eigenvalues.push_back(modes.eigenvalues[static_cast<std::size_t>(mode)]);
    }
  };
  Parities const parities = parities_of(entries, order);
  if (modes.count == 1 || !parities.are_complete) {
    fill_whole(blocks, entries, order);
    append_eigenvalues(order);
    return blocks;
  }
  blocks.is_mirrored = true;
  for (std::size_t block = 0; block < 2; ++block) {
    fill_parity(blocks, block, entries, parities.modes[block]);
    append_eigenvalues(parities.modes[block]);
  }
  return blocks;
}

}  // namespace isotherm
