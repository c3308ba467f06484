#include "solver/level/unknowns/connected_components.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "decomposition/field/values_with_halo.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/connections.hpp"
#include "kernels/core/error.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

// Each point has a label. Connected unknowns share a number that is not negative; other points have
// one of the two constants. A component that is connected with a given value becomes `given`, too.
using Label = std::int32_t;
constexpr Label insulated = -1;
constexpr Label given = -2;

/// The labels of two neighbouring points.
using Link = std::array<Label, 2>;

/// Whether insulation shuts the links from a point to the previous ones: bit `axis` of each
/// element. Empty if no link between unknowns is shut.
using ShutLinks = std::vector<std::uint8_t>;

/// The links between two rows of points, as link_rows() needs them.
class RowLinks {
 public:
  /// @param point  dense index of the first point whose links lead to the previous row along `axis`
  RowLinks(ShutLinks const& shut, std::size_t point, int axis)
      : first_(shut.empty() ? nullptr : shut.data() + point), bit_(1U << axis) {}
  [[nodiscard]] bool is_shut(std::int64_t i) const {
    return first_ != nullptr && (first_[i] & bit_) != 0;
  }

 private:
  std::uint8_t const* first_;
  unsigned bit_;
};

/// Calls link(a, b) for the different labels of neighbouring points of two rows, unless their link
/// is shut. Repetitions of the same pair are skipped.
template <class Visit>
void link_rows(Label const* a, Label const* b, std::int64_t count, RowLinks const& links,
               Visit const& link) {
  // Most consecutive pairs are equal.
  Link last{insulated, insulated};
  for (std::int64_t i = 0; i < count; ++i) {
    Link const next{a[i], b[i]};
    if (next == last || links.is_shut(i)) continue;
    last = next;
    auto const [of_a, of_b] = next;
    if (of_a != insulated && of_b != insulated && of_a != of_b) link(of_a, of_b);
  }
}

/// A union-find structure over labels, with one more element for `given`.
class Parts {
 public:
  explicit Parts(std::size_t count) : connected_(count + 1) {}
  /// Unites the sets of two labels, neither of which is `insulated`.
  void join(Label a, Label b) { connected_.join(number(a), number(b)); }
  /// Returns the representative of all labels connected with `label`.
  Label operator()(Label label) {
    // Element 0 stands for `given`. The union keeps the smallest element as the representative.
    std::size_t const first = connected_(number(label));
    return first == 0 ? given : static_cast<Label>(first - 1);
  }

 private:
  static std::size_t number(Label label) {
    return label == given ? 0 : static_cast<std::size_t>(label) + 1;
  }
  Connections connected_;
};

/// The components that one rank finds on its own points.
struct LabelledPoints {
  std::vector<Label> labels{};        ///< of the rank's points, dense
  std::vector<std::int64_t> first{};  ///< first point of each, as its number in the grid
  ShutLinks shut{};
};

/// Replaces label 0 by the number of the run of unknowns along x. Returns the number of runs.
std::size_t number_runs(std::vector<Label>& labels, ShutLinks const& shut, std::int64_t row) {
  std::size_t runs = 0;
  Label last = insulated;
  for (std::size_t p = 0; p < labels.size(); ++p) {
    // A run starts at the begin of a row, after a point that is not unknown, or behind insulation.
    bool const starts =
        static_cast<std::int64_t>(p) % row == 0 || last < 0 || RowLinks(shut, p, 0).is_shut(0);
    last = labels[p];
    if (last < 0) continue;
    if (starts) ++runs;
    require(runs <= std::numeric_limits<Label>::max(),
            "insulation divides the grid into too many rows to count");
    labels[p] = static_cast<Label>(runs - 1);
  }
  return runs;
}

/// Labels the components of one rank's points: runs of unknowns along x, united with neighbouring
/// runs, as in the labelling of images.
class RankLabels {
 public:
  /// @param labels_all_components  true: fixed points and Robin faces connect nothing; false: they
  /// hold a
  ///                  component
  RankLabels(Problem const& problem, Subdomain const& subdomain, bool labels_all_components)
      : problem_(&problem),
        subdomain_(&subdomain),
        labels_all_components_(labels_all_components),
        n_(subdomain.extent()) {}

  /// Returns the labels of all points, numbered in the order of the components' first points.
  LabelledPoints find() && {
    // Label the points, number the runs, unite them, and renumber the components.
    label_points();
    find_shut_links();
    Parts parts(number_runs(labels_, shut_, n_.x));
    connect(parts);
    if (!labels_all_components_) hold_at_robin_faces(parts);
    if (!labels_all_components_ && has_reaction(*problem_)) hold_by_reaction(parts);
    return numbered(parts);
  }

 private:
  /// Returns the dense index of a point.
  [[nodiscard]] std::size_t place(Index3 p) const {
    return static_cast<std::size_t>((p.z * n_.y + p.y) * n_.x + p.x);
  }

  /// Labels unknowns 0, others `insulated` or `given`. Runs on all threads.
  void label_points() {
    labels_.resize(static_cast<std::size_t>(subdomain_->owned().point_count()));
    Index3 const first = subdomain_->owned_global().lower;
    for_each_row(subdomain_->owned(), [&](std::int64_t j, std::int64_t k) {
      std::vector<int> constraints(static_cast<std::size_t>(n_.x));
      find_constraints(*problem_, Index3{0, j, k} + first, constraints);
      std::ranges::transform(
          constraints, labels_.begin() + static_cast<std::ptrdiff_t>(place({0, j, k})),
          [&](int constraint) {
            if (constraint == constraint::none) return Label{0};
            return labels_all_components_ || constraint == constraint::insulation ? insulated
                                                                                  : given;
          });
    });
  }

  /// Finds the links between points that insulation shuts. Runs on all threads.
  void find_shut_links() {
    if (!has_open_shares(*problem_)) return;
    shut_.resize(labels_.size());
    LinkConductivity const links(*problem_);
    Grid const& grid = problem_->grid;
    Index3 const first = subdomain_->owned_global().lower;
    for_each_row(subdomain_->owned(), [&](std::int64_t j, std::int64_t k) {
      for (int axis = 0; axis < grid.dimension; ++axis) {
        Index3 before = Index3{0, j, k} + first;
        if (axis != 0) before[axis] = grid.on_axis(axis, before[axis] - 1);
        if (before[axis] < 0 || grid.points[axis] == 1) continue;
        auto const ranges = links.candidates(axis, before);
        if (ranges.empty()) continue;
        for (std::int64_t i = 0; i < n_.x; ++i) {
          before.x = i + first.x;
          if (axis == 0) before.x = grid.on_axis(0, before.x - 1);
          if (before.x < 0 || !LinkConductivity::contain(ranges, before.x)) continue;
          if (links.is_shut(axis, before)) {
            shut_[place({i, j, k})] |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(axis));
          }
        }
      }
    });
  }

  /// Unites the runs of neighbouring points along y and z, and with given points along x.
  void connect(Parts& parts) const {
    auto const join = [&](Label a, Label b) { parts.join(a, b); };
    for (std::int64_t k = 0; k < n_.z; ++k) {
      for (std::int64_t j = 0; j < n_.y; ++j) {
        std::size_t const begin = place({0, j, k});
        Label const* const row = &labels_[begin];
        // Along x only neighbours with different labels matter: a run shares its label already.
        link_rows(row + 1, row, n_.x - 1, {shut_, begin + 1, 0}, join);
        if (j > 0) link_rows(row, row - n_.x, n_.x, {shut_, begin, 1}, join);
        if (k > 0) link_rows(row, row - n_.x * n_.y, n_.x, {shut_, begin, 2}, join);
      }
    }
  }

  /// Marks the components at conducting Robin faces as given.
  void hold_at_robin_faces(Parts& parts) const {
    MediumUnits const units = medium_units(*problem_);
    Index3 const first = subdomain_->owned_global().lower;
    for (Face const face : faces(problem_->grid)) {
      LocalBox const points = intersection(face_points(*subdomain_, face), subdomain_->owned());
      if (!may_be_robin(*problem_, face)) continue;
      for (std::int64_t k = points.lower.z; k < points.upper.z; ++k)
        for (std::int64_t j = points.lower.y; j < points.upper.y; ++j)
          for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) {
            Label const label = labels_[place({i, j, k})];
            // Only unknowns can be held.
            if (label < 0) continue;
            if (robin_conductance(*problem_, units, face, Index3{i, j, k} + first) > 0.0) {
              parts.join(label, given);
            }
          }
    }
  }

  /// Marks the components with a reaction term as given, such as those that films join to a fluid.
  void hold_by_reaction(Parts& parts) const {
    MediumUnits const units = medium_units(*problem_);
    Index3 const first = subdomain_->owned_global().lower;
    for (std::int64_t k = 0; k < n_.z; ++k)
      for (std::int64_t j = 0; j < n_.y; ++j)
        for (std::int64_t i = 0; i < n_.x; ++i) {
          Label const label = labels_[place({i, j, k})];
          if (label < 0) continue;
          if (reaction_term(*problem_, units, Index3{i, j, k} + first) > 0.0) {
            parts.join(label, given);
          }
        }
  }

  /// Renumbers the components consecutively in the order of their first points.
  LabelledPoints numbered(Parts& parts) {
    LabelledPoints labelled;
    std::vector<Label> number;  // of each run's part
    for (std::size_t p = 0; p < labels_.size(); ++p) {
      Label& label = labels_[p];
      if (label < 0) continue;
      auto const run = static_cast<std::size_t>(label);
      // Runs are numbered in the order of their points, so a new run number is the next one.
      if (run == number.size()) {
        // The representative is the smallest run, so a component begins with it.
        Label const part = parts(label);
        bool const is_new = part == label;
        number.push_back(is_new          ? static_cast<Label>(labelled.first.size())
                         : part == given ? given
                                         : number[static_cast<std::size_t>(part)]);
        if (is_new) labelled.first.push_back(global_number(static_cast<std::int64_t>(p)));
      }
      label = number[run];
    }
    labelled.labels = std::move(labels_);
    labelled.shut = std::move(shut_);
    return labelled;
  }
  /// Returns the number of the rank's point p in the whole grid, x fastest.
  [[nodiscard]] std::int64_t global_number(std::int64_t p) const {
    Extent3 const all = problem_->grid.points;
    Index3 const at =
        Index3{p % n_.x, p / n_.x % n_.y, p / (n_.x * n_.y)} + subdomain_->owned_global().lower;
    return (at.z * all.y + at.y) * all.x + at.x;
  }

  Problem const* problem_;
  Subdomain const* subdomain_;
  bool labels_all_components_;
  Extent3 n_;
  std::vector<Label> labels_{};
  ShutLinks shut_{};
};

/// Returns the pairs of labels on both sides of a rank's lower ends, or of the grid's if it is
/// periodic. Sorted, without duplicates and shut links.
std::vector<Link> links_across(ValuesWithHalo<Label> const& around, ShutLinks const& shut,
                               Extent3 n) {
  std::vector<Link> links;
  auto const add = [&](Label a, Label b) { links.push_back({a, b}); };
  auto const add_rows = [&](std::int64_t j, std::int64_t k, Label const* before, int axis) {
    std::int64_t const count = axis == 0 ? 1 : n.x;
    RowLinks const of_row(shut, static_cast<std::size_t>((k * n.y + j) * n.x), axis);
    if (before != nullptr) link_rows(around.row(j, k), before, count, of_row, add);
  };
  // Along z and y whole rows are adjacent, along x single points.
  for (std::int64_t k = 0; k < n.z; ++k) {
    add_rows(0, k, around.row(-1, k), 1);
    for (std::int64_t j = 0; j < n.y; ++j) add_rows(j, k, around.value_beyond_row(-1, j, k), 0);
  }
  for (std::int64_t j = 0; j < n.y; ++j) add_rows(j, 0, around.row(j, -1), 2);
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

/// Returns the lists of all ranks, in the order of ranks. Collective.
template <class Value>
std::vector<std::vector<Value>> gathered(mpi::Communicator const& ranks,
                                         std::vector<Value> const& mine) {
  std::vector<std::vector<Value>> all;
  // Lists travel as bytes.
  std::string const bytes(reinterpret_cast<char const*>(mine.data()), mine.size() * sizeof(Value));
  for (std::string const& text : ranks.all_gather(bytes)) {
    // An empty list may have no address, which memcpy does not accept.
    std::vector<Value>& list = all.emplace_back(text.size() / sizeof(Value));
    if (!list.empty()) std::memcpy(list.data(), text.data(), text.size());
  }
  return all;
}

/// The component of each rank-local component, over all ranks.
struct Numbering {
  std::vector<Label> component{};
  std::vector<std::int64_t> first{};  ///< first point of each component, as its number in the grid
};

/// Numbers the components in the order of their first points, which does not depend on the
/// decomposition.
/// @param first  first point of each component of all ranks
Numbering number_components(Parts& parts, std::vector<std::int64_t> const& first) {
  // The representative collects the earliest point of all components united with it.
  std::vector<std::int64_t> earliest(first);
  for (std::size_t part = 0; part < first.size(); ++part) {
    Label const all = parts(static_cast<Label>(part));
    if (all == given) continue;
    std::int64_t& of_all = earliest[static_cast<std::size_t>(all)];
    of_all = std::min(of_all, first[part]);
  }
  Numbering numbering;
  // Each representative contributes the first point of its component.
  for (std::size_t part = 0; part < first.size(); ++part) {
    if (parts(static_cast<Label>(part)) == static_cast<Label>(part)) {
      numbering.first.push_back(earliest[part]);
    }
  }
  std::ranges::sort(numbering.first);
  // The position in the sorted list is the number of the component.
  for (std::size_t part = 0; part < first.size(); ++part) {
    Label const all = parts(static_cast<Label>(part));
    auto const place = std::ranges::lower_bound(
        numbering.first, all == given ? 0 : earliest[static_cast<std::size_t>(all)]);
    numbering.component.push_back(all == given
                                      ? ConnectedComponents::held
                                      : static_cast<Label>(place - numbering.first.begin()));
  }
  return numbering;
}

/// Finds components on each rank, unites them across ranks, and gives them the same numbers on
/// every rank. Collective.
/// @param labels_all_components  see RankLabels
ConnectedComponents find_components(mpi::Communicator const& ranks, Problem const& problem,
                                    Subdomain const& subdomain, bool labels_all_components) {
  // Each rank labels its own points.
  ConnectedComponents free;
  LabelledPoints mine;
  rethrow_on_all_ranks(
      ranks, [&] { mine = RankLabels(problem, subdomain, labels_all_components).find(); });

  // The components of all ranks, in the order of ranks.
  std::vector<std::int64_t> first;  // first points
  std::size_t before = 0;           // number of components of lower ranks
  auto const of_each = gathered(ranks, mine.first);
  for (std::size_t rank = 0; rank < of_each.size(); ++rank) {
    if (rank == static_cast<std::size_t>(ranks.rank())) before = first.size();
    first.insert(first.end(), of_each[rank].begin(), of_each[rank].end());
  }
  require(first.size() < std::numeric_limits<Label>::max(),
          "insulation divides the grid into too many parts to count");
  // Labels become unique over all ranks before they are exchanged.
  for (Label& label : mine.labels) {
    if (label >= 0) label += static_cast<Label>(before);
  }

  ValuesWithHalo<Label> const around(ranks, subdomain, mine.labels.data());
  Parts parts(first.size());
  // All ranks unite the same pairs, so they agree on the components.
  for (auto const& links : gathered(ranks, links_across(around, mine.shut, subdomain.extent()))) {
    for (auto const& [a, b] : links) parts.join(a, b);
  }
  Numbering const components = number_components(parts, first);
  Extent3 const n = problem.grid.points;
  for (std::int64_t const p : components.first) {
    free.first.push_back({p % n.x, p / n.x % n.y, p / (n.x * n.y)});
  }
  if (components.first.empty()) return free;
  for (Label& label : mine.labels) {
    label = label < 0 ? ConnectedComponents::held
                      : components.component[static_cast<std::size_t>(label)];
  }
  free.component = std::move(mine.labels);
  return free;
}

}  // namespace

ConnectedComponents find_floating_components(mpi::Communicator const& ranks, Problem const& problem,
                                             Subdomain const& subdomain) {
  // Without insulated regions the unknowns form one component, floating or not.
  if (!problem.medium.insulated.empty()) return find_components(ranks, problem, subdomain, false);
  ConnectedComponents free;
  if (!has_given_values(problem)) free.first = {Index3{}};
  return free;
}

ConnectedComponents find_connected_components(mpi::Communicator const& ranks,
                                              Problem const& problem, Subdomain const& subdomain) {
  // Only insulation and fixed points can separate unknowns.
  bool const may_part = !problem.medium.insulated.empty() || !problem.medium.fixed.empty() ||
                        !problem.patches.empty();
  if (may_part) return find_components(ranks, problem, subdomain, true);
  ConnectedComponents connected;
  connected.first = {Index3{}};
  return connected;
}

}  // namespace isotherm
