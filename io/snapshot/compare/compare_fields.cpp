#include "io/snapshot/compare/compare_fields.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/checked_field.hpp"
#include "io/snapshot/compare/tallies.hpp"
#include "io/snapshot/datasets/interpolation.hpp"
#include "io/snapshot/reading.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm {
namespace {

/// The maximum norm and the sum of squares of some numbers. Both are infinite if one of the numbers
/// is not finite; NaN is treated as infinite.
struct Norms {
  double largest = 0.0;
  double squares = 0.0;

  void add(double number) {
    double const magnitude =
        std::isfinite(number) ? std::abs(number) : std::numeric_limits<double>::infinity();
    largest = std::max(largest, magnitude);
    // Values from float64 fields may overflow here; then the l2 norm is infinite.
    squares += magnitude * magnitude;
  }
  void add(Norms const& other) {
    largest = std::max(largest, other.largest);
    squares += other.squares;
  }
};

/// Returns true if two numbers are equal or both NaN.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The differences at some points, accumulated. It is a trivially copyable struct of 8-byte
/// numbers, as tally_of_all() demands.
struct Tally {
  Norms difference{};
  Norms reference{};
  std::int64_t different_points = 0;
  std::int64_t largest_at = 0;  ///< number of the first point with the largest difference

  /// Adds the values of both fields at the point with this number.
  void add(std::int64_t number, double a, double b) {
    reference.add(a);
    if (same(a, b)) return;
    double const before = difference.largest;
    difference.add(b - a);
    ++different_points;
    if (difference.largest > before) largest_at = number;
  }

  /// Adds another tally. If both have the same largest difference, the point with the lower number
  /// is kept, so the order of additions does not matter for it.
  void add(Tally const& other) {
    bool const is_first =
        other.difference.largest > difference.largest ||
        (other.difference.largest == difference.largest && other.largest_at < largest_at);
    if (is_first && other.different_points > 0) largest_at = other.largest_at;
    difference.add(other.difference);
    reference.add(other.reference);
    different_points += other.different_points;
  }
};

/// Converts a tally of `compared` points to norms.
FieldDifference result_of(Tally const& tally, std::int64_t compared, Grid const& grid) {
  auto const count = static_cast<double>(compared);
  FieldDifference result;
  result.points = compared;
  result.different_points = tally.different_points;
  result.largest = tally.difference.largest;
  result.largest_at = point_of(tally.largest_at, grid.points);
  result.grid = grid;
  result.root_mean_square = std::sqrt(tally.difference.squares / count);
  result.reference_largest = tally.reference.largest;
  result.reference_root_mean_square = std::sqrt(tally.reference.squares / count);
  return result;
}

/// Returns a relative value, or the absolute one if the reference is 0.
double ratio(double value, double reference) { return reference > 0.0 ? value / reference : value; }

/// One of the two files, with its description on each rank.
struct Side {
  std::filesystem::path path;
  SnapshotInfo info{};

  Side(mpi::Communicator const& ranks, std::filesystem::path file) : path(std::move(file)) {
    rethrow_on_all_ranks(ranks, [&] { info = read_snapshot_info(path); });
  }
};

/// Compares one piece. @param a  the values of A in the piece
using Work = std::function<Tally(GlobalBox piece, std::vector<double> const& a)>;

/// Calls work(piece, its values in A) for the pieces of A, each on the rank that owns the piece.
/// Verifies the checksums of A. Collective.
/// @param before  is called first, on each rank independently
Tally over_pieces(mpi::Communicator const& ranks, Side const& a,
                  std::function<void()> const& before, Work const& work) {
  std::vector<GlobalBox> const all = pieces(a.info.grid.points, tallied_piece_values);
  PieceRange const own = own_pieces(ranks, all.size());
  // Each piece of the grid has a tally, instead of each rank. So the sum over the pieces does not
  // depend on the number of ranks.
  std::vector<Tally> tallies(all.size());
  std::optional<CheckedField> field;
  rethrow_on_all_ranks(ranks, [&] {
    field.emplace(a.path, a.info);
    before();
    std::vector<double> values;
    for (std::size_t i = own.begin; i < own.end; ++i) {
      field->read(all[i], values);
      tallies[i] = work(all[i], values);
    }
  });
  // The checksums are compared after all ranks have read their parts of the values.
  field->finish(ranks);
  return tally_of_all(ranks, tallies);
}

/// Compares fields of the same shape, point by point. Each rank reads the same pieces of both
/// files.
FieldDifference compare_points(mpi::Communicator const& ranks, Side const& a, Side const& b) {
  Extent3 const points = a.info.grid.points;
  std::optional<CheckedField> other;
  std::vector<double> of_other;
  Tally const tally = over_pieces(
      ranks, a, [&] { other.emplace(b.path, b.info); },
      [&](GlobalBox piece, std::vector<double> const& values) {
        other->read(piece, of_other);
        DenseValues<double> const left{piece, values.data()};
        DenseValues<double> const right{piece, of_other.data()};
        return tally_on_threads<Tally>(piece, [&](GlobalBox slab) {
          Tally here;
          for_each_row(slab, [&](Index3 first, std::int64_t count) {
            double const* const l = left.at(first);
            double const* const r = right.at(first);
            std::int64_t const number = number_of(first, points);
            for (std::int64_t i = 0; i < count; ++i) here.add(number + i, l[i], r[i]);
          });
          return here;
        });
      });
  other->finish(ranks);
  FieldDifference difference = result_of(tally, a.info.grid.point_count(), a.info.grid);
  difference.same_coordinates = a.info.grid.lower == b.info.grid.lower &&  //
                                a.info.grid.spacing == b.info.grid.spacing &&
                                a.info.grid.graded == b.info.grid.graded;
  return difference;
}

/// Calls action(part) for parts of a box of A's points. Each part needs at most
/// `tallied_piece_values` points of B, or is one point. B may have a much finer grid, so a piece of
/// A may need more of B than fits into memory.
void for_each_small_part(Interpolation const& interpolation, GlobalBox box,
                         std::function<void(GlobalBox)> const& action) {
  if (box.empty()) return;
  Extent3 const needed = interpolation.needed(box).extent();
  Extent3 const own = box.extent();
  // The box is halved along the axis that needs the most points of B.
  int longest = 0;
  for (int axis = 1; axis < 3; ++axis) {
    auto const gain = [&](int along) { return own[along] > 1 ? needed[along] : 0; };
    if (gain(axis) > gain(longest)) longest = axis;
  }
  // A single point of A needs at most 2 × 2 × 2 points of B, so the recursion ends.
  if (needed.x * needed.y * needed.z <= tallied_piece_values || own[longest] == 1) {
    return action(box);
  }
  GlobalBox lower = box;
  GlobalBox upper = box;
  lower.upper[longest] = upper.lower[longest] = box.lower[longest] + own[longest] / 2;
  for_each_small_part(interpolation, lower, action);
  for_each_small_part(interpolation, upper, action);
}

/// A range of indices on a periodic axis that has `points` points. Index `points` means the first
/// point again.
struct Stretch {
  std::int64_t wanted;  ///< first index of the range, up to and including `points`
  std::int64_t stored;  ///< the same point's index in the file
  std::int64_t count;
};
/// Splits [begin, end) into the part before the end of the axis and the repeated first point.
std::vector<Stretch> stretches(std::int64_t begin, std::int64_t end, std::int64_t points) {
  std::vector<Stretch> all;
  if (begin < points) all.push_back({begin, begin, std::min(end, points) - begin});
  if (end > points) all.push_back({points, 0, 1});
  return all;
}

/// Reads B's values in a box that may contain the first points of periodic axes a second time.
/// @param gains  what the values gain over the periods
void read_wrapped(StoredField const& field, Extent3 points, GlobalBox box,
                  PerAxis<double> const& gains, std::vector<double>& values) {
  values.resize(static_cast<std::size_t>(box.point_count()));
  std::vector<double> part;
  for (Stretch const& z : stretches(box.lower.z, box.upper.z, points.z)) {
    for (Stretch const& y : stretches(box.lower.y, box.upper.y, points.y)) {
      for (Stretch const& x : stretches(box.lower.x, box.upper.x, points.x)) {
        Index3 const stored{x.stored, y.stored, z.stored};
        Extent3 const count{x.count, y.count, z.count};
        GlobalBox const from{stored, stored + count};
        // Each part is a box without repeated points, which the file can deliver.
        part.resize(static_cast<std::size_t>(from.point_count()));
        field.read(from, part.data());
        double const gained = (x.wanted > x.stored ? gains[0] : 0.0) +
                              (y.wanted > y.stored ? gains[1] : 0.0) +
                              (z.wanted > z.stored ? gains[2] : 0.0);
        if (gained != 0.0) {
          for (double& value : part) value += gained;
        }
        Index3 const shift = Index3{x.wanted, y.wanted, z.wanted} - stored;
        double const* row = part.data();
        for_each_row(from, [&](Index3 first, std::int64_t n) {
          std::copy_n(row, n, values.begin() + number_of(first + shift - box.lower, box.extent()));
          row += n;
        });
      }
    }
  }
}

/// Verifies all values of a file. They are read again when they are needed for interpolation: how
/// often a point is needed depends on the other grid. Collective.
void check_values(mpi::Communicator const& ranks, Side const& side) {
  std::vector<GlobalBox> const all = pieces(side.info.grid.points, tallied_piece_values);
  PieceRange const own = own_pieces(ranks, all.size());
  std::optional<CheckedField> field;
  rethrow_on_all_ranks(ranks, [&] {
    field.emplace(side.path, side.info);
    std::vector<double> values;
    for (std::size_t i = own.begin; i < own.end; ++i) field->read(all[i], values);
  });
  field->finish(ranks);
}

/// Returns "0 to 1 x 0 to 2", the box of a grid, for messages.
std::string extent_of(Grid const& grid) {
  std::string text;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    text +=
        fmt::format("{}{:g} to {:g}", axis == 0 ? "" : " x ", grid.lower[axis], grid.upper(axis));
  }
  return text;
}

/// Compares A with B's values at A's points, by linear interpolation.
FieldDifference compare_interpolated(mpi::Communicator const& ranks, Side const& a, Side const& b,
                                     PerAxis<double> const& gains_of_b) {
  Grid const& grid = a.info.grid;
  Interpolation const interpolation(grid, b.info.grid);
  GlobalBox const common = interpolation.common();
  if (common.empty()) {
    throw InputError(fmt::format("no point of {} lies in the box of {} ({} and {})",
                                 a.path.string(), b.path.string(), extent_of(grid),
                                 extent_of(b.info.grid)));
  }
  // B is verified separately: interpolation reads some of its points several times and others not
  // at all.
  check_values(ranks, b);
  std::optional<StoredField> other;
  std::vector<double> of_other;
  Tally const tally = over_pieces(
      ranks, a, [&] { other.emplace(b.path, b.info); },
      [&](GlobalBox piece, std::vector<double> const& values) {
        Tally all;
        for_each_small_part(interpolation, intersection(piece, common), [&](GlobalBox part) {
          GlobalBox const needed = interpolation.needed(part);
          read_wrapped(*other, b.info.grid.points, needed, gains_of_b, of_other);
          DenseValues<double> const left{piece, values.data()};
          DenseValues<double> const right{needed, of_other.data()};
          all.add(tally_on_threads<Tally>(part, [&](GlobalBox slab) {
            Tally here;
            for_each_row(slab, [&](Index3 first, std::int64_t count) {
              double const* const l = left.at(first);
              std::int64_t const number = number_of(first, grid.points);
              for (std::int64_t i = 0; i < count; ++i) {
                here.add(number + i, l[i], interpolation.value(first + Index3{i, 0, 0}, right));
              }
            });
            return here;
          }));
        });
        return all;
      });
  FieldDifference difference = result_of(tally, common.point_count(), grid);
  difference.same_coordinates = false;
  difference.interpolated = {common, interpolation.coinciding(), grid, b.info.grid};
  return difference;
}

}  // namespace

double FieldDifference::relative_largest() const { return ratio(largest, reference_largest); }

double FieldDifference::relative_root_mean_square() const {
  return ratio(root_mean_square, reference_root_mean_square);
}

FieldDifference compare_fields(mpi::Communicator const& ranks, std::filesystem::path const& a,
                               std::filesystem::path const& b, PerAxis<double> const& gains_of_b) {
  Side const left(ranks, a);
  Side const right(ranks, b);
  return left.info.grid.points == right.info.grid.points
             ? compare_points(ranks, left, right)
             : compare_interpolated(ranks, left, right, gains_of_b);
}

}  // namespace isotherm
