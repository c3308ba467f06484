#include "io/compare_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/chunk_grid.hpp"
#include "io/layout.hpp"
#include "io/reading.hpp"
#include "io/snapshot.hpp"

namespace isotherm {
namespace {

/// The values of one file, opened to be read in blocks.
class StoredField {
 public:
  StoredField(std::filesystem::path const& path, SnapshotInfo const& info)
      : path_(path), file_(open_for_reading(path)) {
    reading(path_, [&] {
      std::string const name = layout::dataset_path(info.grid, info.field);
      dataset_ = hdf5::Dataset(hdf5::check(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT)));
    });
  }

  void read(GlobalBox block, std::vector<double>& values) const {
    values.resize(static_cast<std::size_t>(block.point_count()));
    reading(path_, [&] { read_box(dataset_, 3, block, values.data()); });
  }

 private:
  std::filesystem::path path_;
  hdf5::File file_;
  hdf5::Dataset dataset_;
};

/// The largest magnitude and the sum of squares of some numbers; infinite with one that is not
/// finite among them.
struct Norms {
  double largest = 0.0;
  double squares = 0.0;

  void add(double number) {
    double const magnitude =
        std::isfinite(number) ? std::abs(number) : std::numeric_limits<double>::infinity();
    largest = std::max(largest, magnitude);
    squares += magnitude * magnitude;
  }
};

/// Equal numbers, or both not a number.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class Comparison {
 public:
  void add(GlobalBox block, std::vector<double> const& a, std::vector<double> const& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      reference_.add(a[i]);
      if (!same(a[i], b[i])) {
        add_difference(block, static_cast<std::int64_t>(i), b[i] - a[i]);
      }
    }
    result_.points += block.point_count();
  }

  [[nodiscard]] FieldDifference result() const {
    auto const points = static_cast<double>(result_.points);
    FieldDifference all = result_;
    all.largest = difference_.largest;
    all.root_mean_square = std::sqrt(difference_.squares / points);
    all.reference_largest = reference_.largest;
    all.reference_root_mean_square = std::sqrt(reference_.squares / points);
    return all;
  }

 private:
  void add_difference(GlobalBox block, std::int64_t i, double difference) {
    double const largest_before = difference_.largest;
    difference_.add(difference);
    ++result_.different_points;
    if (difference_.largest > largest_before) {
      Extent3 const n = block.extent();
      result_.largest_at = block.lower + Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
    }
  }

  Norms difference_;
  Norms reference_;
  FieldDifference result_;
};

/// Whole chunks, first along x, then y, then z, of about four million values.
Extent3 block_extent(Extent3 points) {
  constexpr std::int64_t most_values = std::int64_t{1} << 22;
  Extent3 block = chunk_extent(points);
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const times = most_values / (block.x * block.y * block.z);
    block[axis] = std::min(points[axis], block[axis] * std::max<std::int64_t>(1, times));
  }
  return block;
}

/// Calls action(box) for boxes of at most `block` points that together are all points.
template <class Action>
void for_each_block(Extent3 points, Extent3 block, Action&& action) {
  Index3 at;
  for (at.z = 0; at.z < points.z; at.z += block.z) {
    for (at.y = 0; at.y < points.y; at.y += block.y) {
      for (at.x = 0; at.x < points.x; at.x += block.x) {
        action(intersection(GlobalBox{at, at + block}, GlobalBox{{}, points}));
      }
    }
  }
}

double ratio(double value, double reference) { return reference > 0.0 ? value / reference : value; }

}  // namespace

double FieldDifference::relative_largest() const { return ratio(largest, reference_largest); }

double FieldDifference::relative_root_mean_square() const {
  return ratio(root_mean_square, reference_root_mean_square);
}

FieldDifference compare_fields(std::filesystem::path const& a, std::filesystem::path const& b) {
  SnapshotInfo const info_a = read_snapshot_info(a);
  SnapshotInfo const info_b = read_snapshot_info(b);
  Extent3 const points = info_a.grid.points;
  if (points != info_b.grid.points) {
    throw InputError(a.string() + " has " + to_text(points) + " points and " + b.string() +
                     " has " + to_text(info_b.grid.points) +
                     ": only fields of the same shape compare");
  }
  StoredField const field_a(a, info_a);
  StoredField const field_b(b, info_b);
  Comparison comparison;
  std::vector<double> values_a;
  std::vector<double> values_b;
  for_each_block(points, block_extent(points), [&](GlobalBox block) {
    field_a.read(block, values_a);
    field_b.read(block, values_b);
    comparison.add(block, values_a, values_b);
  });
  FieldDifference difference = comparison.result();
  difference.same_coordinates = info_a.grid.lower == info_b.grid.lower &&  //
                                info_a.grid.spacing == info_b.grid.spacing;
  return difference;
}

}  // namespace isotherm
