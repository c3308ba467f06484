#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm::test {

/// A value that no point has.
constexpr int marker = -1;

/// Returns a value that identifies the point and the round.
template <class Real>
Real value_at(Grid const& grid, Index3 global, int round) {
  std::int64_t const number = global.x + grid.points.x * (global.y + grid.points.y * global.z);
  return static_cast<Real>(number + round * grid.point_count());
}

/// One kind of halo exchange.
struct Arrangement {
  Grid grid;
  Extent3 parts;
  int depth = 1;
  bool corners = true;
  int halo = 3;  ///< depth of the field's halo
};

inline std::ostream& operator<<(std::ostream& out, Arrangement const& s) {
  out << s.grid.points.x << "x" << s.grid.points.y << "x" << s.grid.points.z << " points in "
      << s.parts.x << "x" << s.parts.y << "x" << s.parts.z << " parts, depth " << s.depth
      << (s.corners ? " with corners" : " faces only") << ", periodic";
  for (bool const periodic : s.grid.periodic) out << ' ' << periodic;
  return out;
}

/// Returns the value that a halo point must have after the exchange; none if it must not change.
template <class Real>
std::optional<Real> halo_value(Arrangement const& arranged, Subdomain const& subdomain,
                               Index3 local, int round) {
  Index3 global = subdomain.to_global(local);
  int axes_left = 0;  // number of axes on which the point lies outside this rank's part
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const last = subdomain.extent()[axis] - 1;
    std::int64_t const distance = std::max({-local[axis], local[axis] - last, std::int64_t{0}});
    axes_left += distance > 0 ? 1 : 0;
    std::int64_t const n = arranged.grid.points[axis];
    bool const outside = global[axis] < 0 || global[axis] >= n;
    if (distance > arranged.depth || (outside && !arranged.grid.periodic[axis])) {
      return std::nullopt;
    }
    global[axis] = (global[axis] + n) % n;
  }
  if (axes_left > 1 && !arranged.corners) {
    return std::nullopt;
  }
  return value_at<Real>(arranged.grid, global, round);
}

/// A field whose whole memory, including padding, is checked on the host.
template <class Real>
class Trial {
 public:
  Trial(Arrangement arranged, int rank, Queue& queue)
      : arranged_(std::move(arranged)),
        subdomain_(arranged_.grid, arranged_.parts, rank),
        queue_(queue),
        field_(
            queue, subdomain_.extent(),
            {arranged_.halo, arranged_.halo, arranged_.grid.dimension == 3 ? arranged_.halo : 0}),
        values_(field_.layout().elements) {}

  [[nodiscard]] Subdomain const& subdomain() const { return subdomain_; }
  FieldView<Real> view() { return field_.view(); }

  void fill(int round) {
    values_.assign(values_.size(), static_cast<Real>(marker));
    for_each_point(subdomain_.owned(), [&](Index3 p) {
      values_[element(p)] = value_at<Real>(arranged_.grid, subdomain_.to_global(p), round);
    });
    copy_bytes(queue_, memory(), values_.data(), field_.bytes());
    queue_.wait();
  }

  /// The number of halo points that an exchange has filled, and of wrong elements.
  struct Verdict {
    std::int64_t filled = 0;
    std::int64_t mistakes = 0;
    std::string first{};
  };
  [[nodiscard]] Verdict judge(int round) {
    std::vector<Real> wanted = values_;
    Verdict verdict;
    for_each_point(field_.layout().box(), [&](Index3 p) {
      if (subdomain_.owned().contains(p.x, p.y, p.z)) return;
      if (auto const value = halo_value<Real>(arranged_, subdomain_, p, round)) {
        wanted[element(p)] = *value;
        ++verdict.filled;
      }
    });
    std::vector<Real> got(values_.size());
    copy_bytes(queue_, got.data(), memory(), field_.bytes());
    queue_.wait();
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] != wanted[i]) count_mistake(verdict, i, got[i], wanted[i]);
    }
    return verdict;
  }

 private:
  template <class Visit>
  static void for_each_point(LocalBox box, Visit const& visit) {
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(Index3{i, j, k});
      }
    }
  }
  [[nodiscard]] std::size_t element(Index3 p) const {
    FieldLayout const& layout = field_.layout();
    return static_cast<std::size_t>(layout.origin + p.x + p.y * layout.row + p.z * layout.plane);
  }
  Real* memory() { return field_.view().origin - field_.layout().origin; }
  void count_mistake(Verdict& verdict, std::size_t element, Real got, Real wanted) const {
    if (verdict.mistakes++ > 0) return;
    std::ostringstream text;
    text << "element " << element << " (local point (0,0,0) is element " << field_.layout().origin
         << ", row " << field_.layout().row << ", plane " << field_.layout().plane << ") holds "
         << got << ", not " << wanted;
    verdict.first = text.str();
  }

  Arrangement arranged_;
  Subdomain subdomain_;
  Queue& queue_;
  Field<Real> field_;
  std::vector<Real> values_;
};

}  // namespace isotherm::test
