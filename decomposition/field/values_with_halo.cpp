#include "decomposition/field/values_with_halo.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

#include "decomposition/ranks/collective_errors.hpp"

namespace isotherm {
namespace {

// Positions of the layers: −2 and −1 are counted from the lower end, 0 and 1 from the first point
// beyond the upper end.
constexpr std::array<std::int64_t, 4> places{-2, -1, 0, 1};

/// Returns the global points of a rank's layer beyond a face, or nullopt beyond the grid. The layer
/// is one point thick, so it is never split by the periodic wrap.
std::optional<GlobalBox> layer_points(Subdomain const& rank, int axis, std::int64_t place) {
  Grid const& grid = rank.grid();
  std::int64_t const n = grid.points[axis];
  GlobalBox box = rank.owned_global();
  std::int64_t index = place < 0 ? box.lower[axis] + place : box.upper[axis] + place;
  bool const beyond = index < 0 || index >= n;
  if (axis >= grid.dimension || (beyond && !grid.periodic[axis])) return std::nullopt;
  // Wraps indices beyond a periodic end.
  index = (index % n + n) % n;
  box.lower[axis] = index;
  box.upper[axis] = index + 1;
  return box;
}

/// Calls visit(axis, number of the layer, the part that `owner` has, the whole layer) for each
/// layer that `needs` lacks and `owner` has points of. The order is the same on both ranks.
template <class Visit>
void for_each_part(Subdomain const& needs, Subdomain const& owner, Visit const& visit) {
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t number = 0; number < places.size(); ++number) {
      auto const points = layer_points(needs, axis, places[number]);
      if (!points) continue;
      GlobalBox const part = intersection(*points, owner.owned_global());
      if (!part.empty()) visit(static_cast<std::size_t>(axis), number, part, *points);
    }
  }
}

/// Calls copy(offset in `all`, number of values) for each row of a part of a dense array over
/// `all`.
template <class Copy>
void for_each_part_row(GlobalBox part, GlobalBox all, Copy const& copy) {
  Extent3 const n = all.extent();
  for (std::int64_t k = part.lower.z; k < part.upper.z; ++k) {
    for (std::int64_t j = part.lower.y; j < part.upper.y; ++j) {
      Index3 const at = Index3{part.lower.x, j, k} - all.lower;
      copy((at.z * n.y + at.y) * n.x + at.x, part.upper.x - part.lower.x);
    }
  }
}

/// Appends the values of a part of the owned points to a message.
template <class Value>
void append(mpi::Bytes& bytes, Value const* owned, GlobalBox part, GlobalBox all) {
  for_each_part_row(part, all, [&](std::int64_t first, std::int64_t count) {
    auto const* const begin = reinterpret_cast<char const*>(owned + first);
    bytes.insert(bytes.end(), begin, begin + static_cast<std::size_t>(count) * sizeof(Value));
  });
}

}  // namespace

template <class Value>
ValuesWithHalo<Value>::ValuesWithHalo(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                      Value const* owned)
    : extent_(subdomain.extent()), owned_(owned) {
  // Another rank's part of the same grid.
  auto const rank = [&](int number) {
    return Subdomain(subdomain.grid(), subdomain.parts(), number);
  };
  std::vector<mpi::Bytes> outgoing(static_cast<std::size_t>(ranks.size()));
  rethrow_on_all_ranks(ranks, [&] {
    // All parts for one rank form one message. Sender and receiver visit them in the same order, so
    // the message needs no headers.
    for (int to = 0; to < ranks.size(); ++to) {
      auto& bytes = outgoing[static_cast<std::size_t>(to)];
      for_each_part(rank(to), subdomain, [&](auto, auto, GlobalBox part, GlobalBox) {
        append(bytes, owned, part, subdomain.owned_global());
      });
    }
  });
  // Allocations may fail on one rank only, so both loops agree on errors before the next collective
  // call.
  std::vector<mpi::Bytes> const incoming = ranks.exchange(outgoing);
  rethrow_on_all_ranks(ranks, [&] {
    for (int from = 0; from < ranks.size(); ++from) {
      char const* next = incoming[static_cast<std::size_t>(from)].data();
      for_each_part(subdomain, rank(from), [&](auto axis, auto number, auto part, auto points) {
        Layer& to = layers_[axis][number];
        to.resize(static_cast<std::size_t>(points.point_count()));
        for_each_part_row(part, points, [&](std::int64_t first, std::int64_t count) {
          std::size_t const bytes = static_cast<std::size_t>(count) * sizeof(Value);
          std::memcpy(to.data() + first, next, bytes);
          next += bytes;
        });
      });
    }
  });
}

template <class Value>
void ValuesWithHalo<Value>::add_gain(Subdomain const& subdomain, int axis, double gain) {
  if (gain == 0.0) return;
  GlobalBox const owned = subdomain.owned_global();
  std::int64_t const n = subdomain.grid().points[axis];
  for (std::size_t number = 0; number < places.size(); ++number) {
    std::int64_t const place = places[number];
    std::int64_t const index = place < 0 ? owned.lower[axis] + place : owned.upper[axis] + place;
    // The second layer beyond an axis of one point lies two periods away.
    auto const periods = static_cast<double>(index < 0 ? (index - n + 1) / n : index / n);
    for (Value& value : layers_[static_cast<std::size_t>(axis)][number]) {
      value = static_cast<Value>(static_cast<double>(value) + periods * gain);
    }
  }
}

template <class Value>
typename ValuesWithHalo<Value>::Layer const& ValuesWithHalo<Value>::layer(
    int axis, std::int64_t index) const {
  std::int64_t const number = index < 0 ? index + reach : index - extent_[axis] + reach;
  return layers_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(number)];
}

template <class Value>
Value const* ValuesWithHalo<Value>::row(std::int64_t j, std::int64_t k) const {
  if (k < 0 || k >= extent_.z) {
    Layer const& beyond = layer(2, k);
    return beyond.empty() ? nullptr : beyond.data() + j * extent_.x;
  }
  if (j < 0 || j >= extent_.y) {
    Layer const& beyond = layer(1, j);
    return beyond.empty() ? nullptr : beyond.data() + k * extent_.x;
  }
  return owned_ + (k * extent_.y + j) * extent_.x;
}

template <class Value>
Value const* ValuesWithHalo<Value>::value_beyond_row(std::int64_t i, std::int64_t j,
                                                     std::int64_t k) const {
  Layer const& beyond = layer(0, i);
  return beyond.empty() ? nullptr : beyond.data() + k * extent_.y + j;
}

template class ValuesWithHalo<float>;
template class ValuesWithHalo<double>;
template class ValuesWithHalo<std::int32_t>;

}  // namespace isotherm
