#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "io/snapshot/checksum.hpp"
#include "io/snapshot/components.hpp"
#include "io/snapshot/slabs.hpp"
#include "io/snapshot/thread_work.hpp"

namespace isotherm {

/// One rank's values as a file holds them: the points of the cut, as `Stored` numbers. All boxes
/// count the file's points; (0, 0, 0) is the first one that is stored. Of vectors they count
/// numbers, of which there are several along x for each point (components.hpp).
template <class Stored, class Real>
class StoredValues {
 public:
  /// @param owned       dense values of subdomain.owned_global(), x fastest
  /// @param components  numbers of a point, beside each other
  StoredValues(Subdomain const& subdomain, GlobalBox cut_points, Real const* owned,
               int components = scalar_components)
      : owned_box_(numbers_of(subdomain.owned_global(), components)),
        cut_(numbers_of(cut_points, components)),
        grid_points_(cut_points.extent()),
        components_(components),
        owned_(owned) {
    GlobalBox const cut = cut_;
    GlobalBox const part = intersection(owned_box_, cut);
    share_ = part.empty() ? GlobalBox{} : GlobalBox{part.lower - cut.lower, part.upper - cut.lower};
  }

  [[nodiscard]] Extent3 points() const { return cut_.extent(); }
  /// As the grid counts them.
  [[nodiscard]] Extent3 grid_points() const { return grid_points_; }
  [[nodiscard]] int components() const { return components_; }
  [[nodiscard]] BlockGrid blocks() const { return {grid_points_, components_}; }
  [[nodiscard]] GlobalBox share() const { return share_; }

  /// The values of `piece`, a box in share(), dense: where they lie already, else in `buffer`.
  Stored const* values(GlobalBox piece, std::vector<Stored>& buffer) const {
    if constexpr (std::is_same_v<Stored, Real>) {
      if (piece.empty() || lies_dense(piece)) {
        return piece.empty() ? buffer.data() : row(piece.lower.x, piece.lower.y, piece.lower.z);
      }
    }
    buffer.resize(static_cast<std::size_t>(piece.point_count()));
    Stored* to = buffer.data();
    for_each_row(piece, [&](Real const* from, std::int64_t n) {
      to =
          std::transform(from, from + n, to, [](Real value) { return static_cast<Stored>(value); });
    });
    return buffer.data();
  }

  /// Of this rank's values as they are stored. On all threads.
  [[nodiscard]] ValuesCheck check() const {
    SharedCheck found{blocks()};
    for_each_slab([&](GlobalBox slab, std::vector<Stored>& buffer) {
      found.add(slab, values(slab, buffer));
    });
    return found.all();
  }

  /// The largest magnitude of this rank's finite values that are infinite as `Stored` numbers; 0
  /// where there are none. On all threads.
  [[nodiscard]] double largest_out_of_range() const {
    std::atomic<double> largest = 0.0;
    for_each_slab([&](GlobalBox slab, std::vector<Stored>& /*buffer*/) {
      double here = 0.0;
      for_each_row(slab, [&](Real const* from, std::int64_t n) {
        here = std::max(here, largest_out_of_range(from, n));
      });
      for (double seen = largest; here > seen && !largest.compare_exchange_weak(seen, here);) {
      }
    });
    return largest;
  }

 private:
  /// Where the value of a point lies.
  [[nodiscard]] Real const* row(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const at = Index3{i, j, k} + cut_.lower - owned_box_.lower;
    Extent3 const n = owned_box_.extent();
    return owned_ + at.x + n.x * (at.y + n.y * at.z);
  }

  /// True where nothing lies between the values of `piece`.
  [[nodiscard]] bool lies_dense(GlobalBox piece) const {
    Extent3 const n = piece.extent();
    Extent3 const all = owned_box_.extent();
    return n.x == all.x && (n.y == all.y || n.z == 1);
  }

  /// Calls work(slab, memory to use) for boxes that together are share(), on all threads.
  template <class Work>
  void for_each_slab(Work const& work) const {
    std::vector<GlobalBox> const all =
        slabs(share_, slab_bytes / static_cast<std::int64_t>(sizeof(Stored)));
    on_threads(static_cast<std::int64_t>(all.size()), 0, [&](std::int64_t i) {
      thread_local std::vector<Stored> buffer;
      work(all[static_cast<std::size_t>(i)], buffer);
    });
  }

  static double largest_out_of_range(Real const* values, std::int64_t count) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isfinite(values[i]) || std::isfinite(static_cast<Stored>(values[i]))) continue;
      largest = std::max(largest, std::abs(static_cast<double>(values[i])));
    }
    return largest;
  }

  /// Calls work(values, number of them) for each row of `box`.
  template <class Work>
  void for_each_row(GlobalBox box, Work&& work) const {
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        work(row(box.lower.x, j, k), box.upper.x - box.lower.x);
      }
    }
  }

  GlobalBox owned_box_;
  GlobalBox cut_;
  Extent3 grid_points_;
  int components_;
  GlobalBox share_{};
  Real const* owned_;
};

}  // namespace isotherm
