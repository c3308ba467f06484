#include "io/snapshot/compare_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/snapshot/checked_field.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {
namespace {

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
  void add(GlobalBox piece, std::vector<double> const& a, std::vector<double> const& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      reference_.add(a[i]);
      if (!same(a[i], b[i])) {
        add_difference(piece, static_cast<std::int64_t>(i), b[i] - a[i]);
      }
    }
    result_.points += piece.point_count();
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
  void add_difference(GlobalBox piece, std::int64_t i, double difference) {
    double const largest_before = difference_.largest;
    difference_.add(difference);
    ++result_.different_points;
    if (difference_.largest > largest_before) {
      Extent3 const n = piece.extent();
      result_.largest_at = piece.lower + Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)};
    }
  }

  Norms difference_;
  Norms reference_;
  FieldDifference result_;
};

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
  CheckedField field_a(a, info_a);
  CheckedField field_b(b, info_b);
  Comparison comparison;
  std::vector<double> values_a;
  std::vector<double> values_b;
  for_each_piece(points, [&](GlobalBox piece) {
    field_a.read(piece, values_a);
    field_b.read(piece, values_b);
    comparison.add(piece, values_a, values_b);
  });
  field_a.finish();
  field_b.finish();
  FieldDifference difference = comparison.result();
  difference.same_coordinates = info_a.grid.lower == info_b.grid.lower &&  //
                                info_a.grid.spacing == info_b.grid.spacing;
  return difference;
}

}  // namespace isotherm
