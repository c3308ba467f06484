#include "io/snapshot/value_statistics.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "decomposition/ranks/together.hpp"
#include "io/snapshot/checked_field.hpp"
#include "io/snapshot/slabs.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {
namespace {

// The parts that are summed up one after the other. They must depend on nothing but the file.
constexpr std::int64_t piece_values = std::int64_t{1} << 21;  ///< that a rank reads at once
constexpr std::int64_t slab_values = std::int64_t{1} << 15;   ///< that a thread looks at

/// What some of the values come to.
struct Tally {
  double sum = 0.0;
  double squares = 0.0;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  std::int64_t least_at = 0;  ///< x + nx (y + ny z)
  std::int64_t most_at = 0;
  std::int64_t finite = 0;

  /// A row of values, from the point with this number on.
  template <class Stored>
  void add(std::int64_t number, Stored const* values, std::int64_t count) {
    Tally row;
    for (std::int64_t i = 0; i < count; ++i) {
      auto const value = static_cast<double>(values[i]);
      if (!std::isfinite(value)) continue;
      row.sum += value;
      row.squares += value * value;
      ++row.finite;
      if (value < row.least) {
        row.least = value;
        row.least_at = number + i;
      }
      if (value > row.most) {
        row.most = value;
        row.most_at = number + i;
      }
    }
    add(row);
  }

  void add(Tally const& other) {
    if (other.finite == 0) return;
    sum += other.sum;
    squares += other.squares;
    if (finite == 0 || other.least < least || (other.least == least && other.least_at < least_at)) {
      least = other.least;
      least_at = other.least_at;
    }
    if (finite == 0 || other.most > most || (other.most == most && other.most_at < most_at)) {
      most = other.most;
      most_at = other.most_at;
    }
    finite += other.finite;
  }
};

using Words = std::array<std::uint64_t, 7>;
static_assert(sizeof(Words) == sizeof(Tally), "a tally travels as words");

template <class Stored>
Tally tally_of(Extent3 points, GlobalBox slab, Stored const* values) {
  Tally all;
  std::int64_t const n = slab.upper.x - slab.lower.x;
  for (std::int64_t k = slab.lower.z; k < slab.upper.z; ++k) {
    for (std::int64_t j = slab.lower.y; j < slab.upper.y; ++j, values += n) {
      all.add(slab.lower.x + points.x * (j + points.y * k), values, n);
    }
  }
  return all;
}

/// On all threads. @param values  of the points of `piece`, dense, x fastest
template <class Stored>
Tally tally_on_threads(Extent3 points, GlobalBox piece, Stored const* values) {
  std::vector<GlobalBox> const parts = slabs(piece, slab_values);
  std::vector<Tally> tallies(parts.size());
  Extent3 const n = piece.extent();
  on_threads(static_cast<std::int64_t>(parts.size()), 0, [&](std::int64_t number) {
    auto const i = static_cast<std::size_t>(number);
    Index3 const at = parts[i].lower - piece.lower;
    tallies[i] = tally_of(points, parts[i], values + n.x * (at.y + n.y * at.z));
  });
  Tally all;
  for (Tally const& tally : tallies) all.add(tally);
  return all;
}

/// Of each piece that this rank reads; of the others there is nothing.
template <class Stored>
std::vector<Tally> my_tallies(mpi::Communicator const& ranks, StoredField const& field,
                              Extent3 points, std::vector<GlobalBox> const& all,
                              SharedCheck& found) {
  std::vector<Tally> tallies(all.size());
  std::vector<Stored> values;
  for (std::size_t const i : share_of(ranks, all.size())) {
    values.resize(static_cast<std::size_t>(all[i].point_count()));
    field.read_checked(all[i], values.data(), found);
    tallies[i] = tally_on_threads(points, all[i], values.data());
  }
  return tallies;
}

/// Each piece's tally is on the rank that read it: as words, these and zeros add up to them.
/// Collective.
std::vector<Tally> gathered(mpi::Communicator const& ranks, std::vector<Tally> const& mine) {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    bool const is_mine = share_of(ranks, mine.size()).contains(i);
    Words const all = is_mine ? std::bit_cast<Words>(mine[i]) : Words{};
    words.insert(words.end(), all.begin(), all.end());
  }
  words = ranks.sum(std::move(words));
  std::vector<Tally> tallies(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    Words all{};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * all.size()), all.size(),
                all.begin());
    tallies[i] = std::bit_cast<Tally>(all);
  }
  return tallies;
}

Index3 point_of(std::int64_t number, Extent3 points) {
  return {number % points.x, number / points.x % points.y, number / (points.x * points.y)};
}

ValueStatistics statistics_of(std::string const& field, Extent3 points,
                              std::vector<Tally> const& tallies) {
  Tally all;
  for (Tally const& tally : tallies) all.add(tally);
  ValueStatistics statistics{field, GlobalBox{{}, points}.point_count()};
  statistics.not_finite = statistics.points - all.finite;
  if (all.finite > 0) {
    auto const count = static_cast<double>(all.finite);
    statistics.least = Extreme{all.least, point_of(all.least_at, points)};
    statistics.most = Extreme{all.most, point_of(all.most_at, points)};
    statistics.mean = all.sum / count;
    statistics.root_mean_square = std::sqrt(all.squares / count);
  }
  return statistics;
}

ValueStatistics statistics_of(mpi::Communicator const& ranks, std::filesystem::path const& path,
                              SnapshotInfo const& info, std::string const& name) {
  Extent3 const points = info.grid.points;
  std::vector<GlobalBox> const all = pieces(points, piece_values);
  std::optional<StoredField> field;
  ValuesCheck found;
  std::vector<Tally> tallies;
  together(ranks, [&] {
    field.emplace(path, info, name);
    field->require_all();
    SharedCheck mine(field->blocks());
    tallies = with_precision(info.stored_type, [&](auto zero) {
      return my_tallies<decltype(zero)>(ranks, *field, points, all, mine);
    });
    found = mine.all();
  });
  found.blocks = ranks.sum(std::move(found.blocks));
  found.finite = !ranks.any(!found.finite);
  require_sound(path, info, *field, found);
  return statistics_of(name, points, gathered(ranks, tallies));
}

}  // namespace

std::vector<ValueStatistics> value_statistics(mpi::Communicator const& ranks,
                                              std::filesystem::path const& path,
                                              SnapshotInfo const& info) {
  std::vector<ValueStatistics> all{statistics_of(ranks, path, info, info.field)};
  for (std::string const& name : info.extra_fields) {
    all.push_back(statistics_of(ranks, path, info, name));
  }
  return all;
}

}  // namespace isotherm
