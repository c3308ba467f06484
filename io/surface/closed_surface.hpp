#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"

namespace isotherm {

/// The corners of a triangle; seen from outside they turn counter-clockwise.
using Triangle = std::array<PerAxis<double>, 3>;

/// The body inside a closed surface of triangles. Bodies may touch or overlap.
///
/// A point is inside if its winding number is not 0: the sum of the signs of all crossings of the
/// surface with the ray from the point towards larger z. A crossing is decided edge by edge, with
/// the same rounding for both triangles of an edge, so no ray slips between two triangles.
/// Cells that the surface does not enter answer without a ray.
/// A surface that passes through a point belongs to the body at its lower ends only.
///
///     ClosedSurface const part(read_stl("part.stl", 0.001, {}), "part.stl");
///     bool const inside = part.contains(0.1, 0.2, 0.3);
class ClosedSurface {
 public:
  /// @param name  of the file, for messages
  /// @throws InputError  if the surface is not closed, or if neighbours turn in different
  ///         directions; names the number of such edges
  ClosedSurface(std::vector<Triangle> triangles, std::string const& name);

  /// Returns whether a point is inside. Several threads may call this at the same time.
  [[nodiscard]] bool contains(double x, double y, double z) const;
  [[nodiscard]] PerAxis<double> const& lower() const { return lower_; }
  [[nodiscard]] PerAxis<double> const& upper() const { return upper_; }
  /// Returns the volume inside, if no bodies overlap.
  [[nodiscard]] double volume() const;
  [[nodiscard]] std::size_t triangle_count() const { return triangles_.size(); }
  /// Returns a number that changes with any coordinate.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  /// Bins of the (x, y) plane; the triangles above each of them are `items_[starts_[bin] …]`.
  void fill_bins();
  [[nodiscard]] std::int64_t bin_on(int axis, double coordinate) const;
  /// Calls `work` for the bins above which a triangle may lie.
  template <class Work>
  void for_each_bin(Triangle const& triangle, Work const& work) const;
  /// Cuts the bounds into cells, and finds those that the surface does not enter.
  void fill_cells();
  [[nodiscard]] std::int64_t cell_on(int axis, double coordinate) const;
  [[nodiscard]] std::size_t cell_of(double x, double y, double z) const;
  /// Returns whether a point within the bounds is inside, by the crossings of its ray.
  [[nodiscard]] bool is_enclosed(double x, double y, double z) const;

  std::vector<Triangle> triangles_;
  PerAxis<double> lower_{};
  PerAxis<double> upper_{};
  std::array<std::int64_t, 2> bins_{1, 1};
  std::vector<std::size_t> starts_{};
  /// A triangle above a bin, and bounds beyond which it does not meet a ray.
  struct Item {
    double y_lower, y_upper, x_upper, z_upper;
    std::uint32_t triangle;

    [[nodiscard]] bool may_cross(double x, double y, double z) const {
      return y >= y_lower && y < y_upper && x < x_upper && z < z_upper;
    }
  };
  std::vector<Item> items_{};
  /// What is known of the points of a cell.
  enum class Cell : std::uint8_t { outside, inside, both };
  std::array<std::int64_t, 3> cell_counts_{1, 1, 1};
  std::vector<Cell> cells_{};  ///< x fastest
};

}  // namespace isotherm
