#include "io/snapshot/compare/value_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/checked_field.hpp"
#include "io/snapshot/compare/tallies.hpp"
#include "io/snapshot/datasets/components.hpp"

namespace isotherm {
namespace {

/// Quadrature weights of the points along each axis.
using Weights = PerAxis<std::vector<double>>;

/// The accumulated statistics of some values, as tallies.hpp demands.
struct Tally {
  double sum = 0.0;      ///< of the values, each times its weight
  double weights = 0.0;  ///< of the finite values' points
  double squares = 0.0;  ///< of the values, each times its weight
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
  std::int64_t min_at = 0;  ///< x + nx (y + ny z)
  std::int64_t max_at = 0;
  std::int64_t finite = 0;

  /// Adds a row of values.
  /// @param number         of the row's first point
  /// @param weights_along  weights along x of the row's points
  /// @param weight         product of the row's weights along y and z
  /// @param value_at       returns the value of a point of the row
  template <class ValueAt>
  void add(std::int64_t number, std::int64_t count, double const* weights_along, double weight,
           ValueAt const& value_at) {
    // The factor `weight` is the same for the whole row and applied once.
    Tally row;
    for (std::int64_t i = 0; i < count; ++i) {
      double const value = value_at(i);
      if (!std::isfinite(value)) continue;
      row.sum += weights_along[i] * value;
      row.weights += weights_along[i];
      row.squares += weights_along[i] * (value * value);
      ++row.finite;
      if (value < row.minimum) {
        row.minimum = value;
        row.min_at = number + i;
      }
      if (value > row.maximum) {
        row.maximum = value;
        row.max_at = number + i;
      }
    }
    row.sum *= weight;
    row.weights *= weight;
    row.squares *= weight;
    add(row);
  }

  /// Adds another tally. Of equal extremes the one at the lower number is kept. An empty tally is
  /// ignored: its extremes may be zero bits.
  void add(Tally const& other) {
    if (other.finite == 0) return;
    sum += other.sum;
    weights += other.weights;
    squares += other.squares;
    // The order of pieces is not that of the points' numbers, so equal minima are compared by
    // number.
    if (finite == 0 || other.minimum < minimum ||
        (other.minimum == minimum && other.min_at < min_at)) {
      minimum = other.minimum;
      min_at = other.min_at;
    }
    if (finite == 0 || other.maximum > maximum ||
        (other.maximum == maximum && other.max_at < max_at)) {
      maximum = other.maximum;
      max_at = other.max_at;
    }
    finite += other.finite;
  }
};

/// Returns the length of a vector; hypot avoids overflow of the squares.
template <class Stored>
double magnitude(Stored const* vector) {
  return std::hypot(static_cast<double>(vector[0]), static_cast<double>(vector[1]),
                    static_cast<double>(vector[2]));
}

/// Returns the tally of a slab.
/// @param weights  of all points of the grid
/// @param piece    the points whose values are in memory; contains `slab`
/// @param values   `components` numbers for each point of `piece`
template <class Stored>
Tally tally_of(Weights const& weights, Extent3 points, GlobalBox slab, GlobalBox piece,
               Stored const* values, int components) {
  auto const weight = [&](int axis, std::int64_t index) -> double const& {
    return weights[axis][static_cast<std::size_t>(index)];
  };
  Tally all;
  for_each_row(slab, [&](Index3 first, std::int64_t count) {
    // The number of points in memory before the row; each has `components` numbers.
    std::int64_t const before = number_of(first - piece.lower, piece.extent());
    Stored const* const row = values + components * before;
    std::int64_t const number = number_of(first, points);
    double const* const along_x = &weight(0, first.x);
    double const across = weight(1, first.y) * weight(2, first.z);
    if (components == vector_components) {
      all.add(number, count, along_x, across,
              [&](std::int64_t i) { return magnitude(row + components * i); });
    } else {
      all.add(number, count, along_x, across,
              [&](std::int64_t i) { return static_cast<double>(row[i]); });
    }
  });
  return all;
}

/// Returns a list with the tallies of the pieces that this rank reads; those of other pieces are
/// empty.
template <class Stored>
std::vector<Tally> my_tallies(mpi::Communicator const& ranks, StoredField const& field,
                              Grid const& grid, std::vector<GlobalBox> const& all,
                              SharedCheck& found) {
  Weights const weights = trapezoidal_weights(grid, grid.box());
  std::vector<Tally> tallies(all.size());
  std::vector<Stored> values;
  PieceRange const own = own_pieces(ranks, all.size());
  for (std::size_t i = own.begin; i < own.end; ++i) {
    GlobalBox const numbers = numbers_of(all[i], field.components());
    values.resize(static_cast<std::size_t>(numbers.point_count()));
    field.read_checked(numbers, values.data(), found);
    tallies[i] = tally_on_threads<Tally>(all[i], [&](GlobalBox slab) {
      return tally_of(weights, grid.points, slab, all[i], values.data(), field.components());
    });
  }
  return tallies;
}

/// Converts the tally of all values to statistics.
ValueStatistics statistics_of(StoredField const& field, Extent3 points, Tally const& all) {
  ValueStatistics statistics{field.name(), field.components(), GlobalBox{{}, points}.point_count()};
  statistics.not_finite = statistics.points - all.finite;
  if (all.finite > 0) {
    statistics.minimum = Extreme{all.minimum, point_of(all.min_at, points)};
    statistics.maximum = Extreme{all.maximum, point_of(all.max_at, points)};
    // The means of equal values must be that value. The weighted sums would differ from it by
    // rounding.
    bool const are_equal = all.minimum == all.maximum;
    statistics.mean = are_equal ? all.minimum : all.sum / all.weights;
    statistics.root_mean_square =
        are_equal ? std::abs(all.minimum) : std::sqrt(all.squares / all.weights);
  }
  return statistics;
}

/// Reads one field and returns its statistics. Collective.
ValueStatistics statistics_of(mpi::Communicator const& ranks, std::filesystem::path const& path,
                              SnapshotInfo const& info, std::string const& name, int components) {
  Extent3 const points = info.grid.points;
  // Pieces of vector fields have fewer points, so they need the same memory.
  std::vector<GlobalBox> const all = pieces(points, tallied_piece_values / components);
  std::optional<StoredField> field;
  ValuesCheck found;
  std::vector<Tally> tallies;
  rethrow_on_all_ranks(ranks, [&] {
    field.emplace(path, info, name);
    field->require_all();
    SharedCheck mine(field->blocks());
    tallies = with_precision(info.stored_type, [&](auto zero) {
      return my_tallies<decltype(zero)>(ranks, *field, info.grid, all, mine);
    });
    found = mine.all();
  });
  found.blocks = ranks.sum(std::move(found.blocks));
  // Each rank has read only its share, but the check applies to all values.
  found.finite = !ranks.any(!found.finite);
  require_sound(path, info, *field, found);
  return statistics_of(*field, points, tally_of_all(ranks, tallies));
}

}  // namespace

std::vector<ValueStatistics> value_statistics(mpi::Communicator const& ranks,
                                              std::filesystem::path const& path,
                                              SnapshotInfo const& info) {
  std::vector<ValueStatistics> all{statistics_of(ranks, path, info, info.field, scalar_components)};
  for (std::string const& name : info.extra_fields) {
    all.push_back(statistics_of(ranks, path, info, name, scalar_components));
  }
  for (std::string const& name : info.vector_fields) {
    all.push_back(statistics_of(ranks, path, info, name, vector_components));
  }
  return all;
}

}  // namespace isotherm
