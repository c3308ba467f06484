#include "solver/multigrid/aggregates/aggregation.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <vector>

namespace isotherm {

namespace {

/// Priorities of nodes that are no candidates for a root.
constexpr std::uint64_t covered = 0;
constexpr std::uint64_t is_root = std::numeric_limits<std::uint64_t>::max();

/// Some of the numbers 0 … count − 1, in the parts of for_each_part().
class NumberList {
 public:
  /// Lists all of the numbers.
  explicit NumberList(std::size_t count)
      : count_(count), parts_((count + numbers_of_part - 1) / numbers_of_part) {
    for_each_part(count_, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint16_t>& part = parts_[begin / numbers_of_part];
      part.resize(end - begin);
      std::iota(part.begin(), part.end(), std::uint16_t{0});
    });
  }
  /// Calls work(n) for the listed numbers, distributed among all threads.
  template <class Work>
  void each(Work const& work) const {
    for_each_part(count_, [&](std::size_t begin, std::size_t) {
      for (std::uint16_t const n : parts_[begin / numbers_of_part]) work(begin + n);
    });
  }
  /// Removes the numbers for which is_removed(n) is true. It is called once for each.
  template <class IsRemoved>
  void remove_if(IsRemoved const& is_removed) {
    for_each_part(count_, [&](std::size_t begin, std::size_t) {
      std::erase_if(parts_[begin / numbers_of_part],
                    [&](std::uint16_t n) { return is_removed(begin + n); });
    });
  }

 private:
  static_assert(numbers_of_part <= std::numeric_limits<std::uint16_t>::max());
  std::size_t count_;
  std::vector<std::vector<std::uint16_t>> parts_;  ///< numbers relative to the part's first
};

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
    NumberList open(owned);  // all whose `near` may change
    for (bool is_complete = false; !is_complete;) {
      open.remove_if([&](std::size_t p) {
        near[p] = largest_of_neighbours(priority, p);
        bool is_settled = is_decided(priority[p]);
        each_strong(
            p, [&](std::size_t q, Real) { is_settled = is_settled && is_decided(priority[q]); });
        return is_settled;
      });
      nodes_->fill(near);
      std::atomic<bool> is_undecided = false;
      open.each([&](std::size_t p) {
        if (is_decided(priority[p])) return;
        std::uint64_t const far = largest_of_neighbours(near, p);
        if (far == is_root) {
          priority[p] = covered;
        } else if (far == priority[p]) {
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
  static bool is_decided(std::uint64_t priority) {
    return priority == covered || priority == is_root;
  }
  /// Returns the largest of a node's own value and of its strong neighbours'.
  [[nodiscard]] std::uint64_t largest_of_neighbours(std::vector<std::uint64_t> const& values,
                                                    std::size_t p) const {
    std::uint64_t largest = values[p];
    each_strong(p, [&](std::size_t q, Real) { largest = std::max(largest, values[q]); });
    return largest;
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
