#include "solver/multigrid/aggregates/aggregation.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace isotherm {

namespace {

/// Priorities of nodes that are no candidates for a root.
constexpr std::uint64_t covered = 0;
constexpr std::uint64_t is_root = std::numeric_limits<std::uint64_t>::max();

/// Finds the aggregates of one level.
template <class Real>
class Aggregation {
 public:
  Aggregation(NodeOperator<Real> const& a, std::vector<double> const& diagonal, double threshold)
      : a_(&a),
        nodes_(&a.nodes),
        diagonal_(&diagonal),
        threshold_(threshold),
        strong_(a.links.column.size()) {
    for_each_number(nodes_->owned(), [&](std::size_t p) { mark_strong_links(p); });
  }

  Aggregates find() {
    std::vector<std::uint64_t> const priority = independent_set();
    Aggregates result;
    join_roots(priority, result);
    join_neighbours(result);
    return result;
  }

 private:
  /// Returns a_pq² / (a_pp a_qq).
  [[nodiscard]] double strength(std::size_t p, std::size_t q, Real a) const {
    double const product = (*diagonal_)[p] * (*diagonal_)[q];
    auto const link = static_cast<double>(a);
    return product > 0.0 ? link * link / product : 0.0;
  }
  void mark_strong_links(std::size_t p) {
    auto n = static_cast<std::size_t>(a_->links.first[p]);
    a_->links.each(p, [&](std::size_t q, Real a) {
      strong_[n++] = strength(p, q, a) >= threshold_ * threshold_ ? 1 : 0;
    });
  }
  /// Calls visit(q, a_pq) for the strong links of a node.
  template <class Visit>
  void each_strong(std::size_t p, Visit const& visit) const {
    auto n = static_cast<std::size_t>(a_->links.first[p]);
    a_->links.each(p, [&](std::size_t q, Real a) {
      if (strong_[n++] != 0) visit(q, a);
    });
  }

  /// Returns `is_root` for the nodes of a maximal independent set of distance 2, `covered` for the
  /// others. Each round takes the undecided nodes whose priority is the largest within distance 2.
  std::vector<std::uint64_t> independent_set() {
    std::size_t const owned = nodes_->owned();
    std::vector<std::uint64_t> priority(nodes_->total(), covered);
    for_each_number(owned, [&](std::size_t p) {
      bool linked = false;
      each_strong(p, [&](std::size_t, Real) { linked = true; });
      // Two ids in 2^64 would be taken for decided nodes.
      if (linked) priority[p] = std::clamp(random_of(a_->id[p]), covered + 1, is_root - 1);
    });
    nodes_->fill(priority);
    std::vector<std::uint64_t> near(priority.size());
    std::vector<std::uint64_t> far(priority.size());
    for (bool is_complete = false; !is_complete;) {
      largest_of_neighbours(priority, near);
      nodes_->fill(near);
      largest_of_neighbours(near, far);
      std::atomic<bool> is_undecided = false;
      for_each_number(owned, [&](std::size_t p) {
        if (priority[p] == covered || priority[p] == is_root) return;
        if (far[p] == is_root) {
          priority[p] = covered;
        } else if (far[p] == priority[p]) {
          priority[p] = is_root;
        } else {
          is_undecided.store(true, std::memory_order_relaxed);
        }
      });
      nodes_->fill(priority);
      is_complete = !nodes_->any(is_undecided);
    }
    return priority;
  }
  /// Sets each of this rank's nodes to the largest of its own value and of its strong neighbours'.
  void largest_of_neighbours(std::vector<std::uint64_t> const& from,
                             std::vector<std::uint64_t>& to) const {
    for_each_number(nodes_->owned(), [&](std::size_t p) {
      std::uint64_t largest = from[p];
      each_strong(p, [&](std::size_t q, Real) { largest = std::max(largest, from[q]); });
      to[p] = largest;
    });
  }

  /// Makes an aggregate of each root and its neighbours.
  void join_roots(std::vector<std::uint64_t> const& priority, Aggregates& result) const {
    std::vector<std::uint64_t> place(nodes_->total(), none);
    for (std::size_t p = 0; p < nodes_->owned(); ++p) {
      if (priority[p] != is_root) continue;
      place[p] = NodeAddress{nodes_->rank(), static_cast<std::int32_t>(result.count())}.key();
      result.root_id.push_back(a_->id[p]);
    }
    nodes_->fill(place);
    std::vector<std::uint64_t> const roots = place;
    for_each_number(nodes_->owned(), [&](std::size_t p) {
      if (place[p] != none) return;
      each_strong(p, [&](std::size_t q, Real) {
        if (priority[q] == is_root) place[p] = roots[q];
      });
    });
    nodes_->fill(place);
    set(result, place);
  }
  /// Adds the nodes that have no root next to them.
  void join_neighbours(Aggregates& result) const {
    std::vector<std::uint64_t> place(nodes_->total(), none);
    for_each_number(nodes_->owned(), [&](std::size_t p) {
      if (result.aggregate[p].exists()) {
        place[p] = result.aggregate[p].key();
        return;
      }
      double strongest = 0.0;
      std::int64_t best = -1;
      each_strong(p, [&](std::size_t q, Real a) {
        if (!result.aggregate[q].exists()) return;
        double const here = strength(p, q, a);
        if (here < strongest || (here == strongest && a_->id[q] < best)) return;
        strongest = here;
        best = a_->id[q];
        place[p] = result.aggregate[q].key();
      });
    });
    nodes_->fill(place);
    set(result, place);
  }

  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  static void set(Aggregates& result, std::vector<std::uint64_t> const& place) {
    result.aggregate.assign(place.size(), NodeAddress{});
    for_each_number(place.size(), [&](std::size_t p) {
      if (place[p] != none) result.aggregate[p] = NodeAddress::of(place[p]);
    });
  }

  NodeOperator<Real> const* a_;
  GhostNodes const* nodes_;
  std::vector<double> const* diagonal_;
  double threshold_;
  std::vector<unsigned char> strong_;  ///< of each link
};

}  // namespace

template <class Real>
Aggregates find_aggregates(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                           double threshold) {
  return Aggregation<Real>(a, diagonal, threshold).find();
}

template Aggregates find_aggregates(NodeOperator<float> const&, std::vector<double> const&, double);
template Aggregates find_aggregates(NodeOperator<double> const&, std::vector<double> const&,
                                    double);

}  // namespace isotherm
