#include "solver/multigrid/aggregates/coarse_operator.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "solver/multigrid/aggregates/row_accumulator.hpp"

namespace isotherm {

namespace {

/// Smaller entries of a row of P, relative to its largest, are left out.
constexpr double smallest_weight = 0.05;

using mpi::Bytes;
using Entry = RowAccumulator::Entry;

/// Rows of a sparse matrix whose columns are keys of addresses. They are stored in parts, which are
/// never copied into one list, since coarse operators have many entries.
class KeyedRows {
 public:
  [[nodiscard]] std::size_t rows() const {
    return parts_.empty() ? 0 : (parts_.size() - 1) * numbers_of_part + parts_.back().rows();
  }
  /// Returns the number of entries of a row.
  [[nodiscard]] std::int64_t length(std::size_t row) const {
    Part const& part = parts_[row / numbers_of_part];
    return part.first[row % numbers_of_part + 1] - part.first[row % numbers_of_part];
  }
  /// Returns the number of entries of all rows.
  [[nodiscard]] std::size_t entries() const {
    std::size_t count = 0;
    for (Part const& part : parts_) count += part.entries.size();
    return count;
  }
  /// Calls visit(column, value) for the entries of a row.
  template <class Visit>
  void each(std::size_t row, Visit const& visit) const {
    Part const& part = parts_[row / numbers_of_part];
    for (auto n = part.first[row % numbers_of_part]; n < part.first[row % numbers_of_part + 1];
         ++n) {
      Entry const& entry = part.entries[static_cast<std::size_t>(n)];
      visit(entry.first, entry.second);
    }
  }
  /// Appends a row.
  void append(std::vector<Entry> const& row) {
    if (rows() == parts_.size() * numbers_of_part) parts_.emplace_back();
    parts_.back().append(row);
  }

  /// Computes rows 0 … count − 1 on all threads: compute(row, other, to) adds a row's entries to
  /// `to`. It may use `other`, which is empty before and after.
  template <class Compute>
  static KeyedRows computed(std::size_t count, Compute const& compute) {
    KeyedRows result;
    result.parts_.resize((count + numbers_of_part - 1) / numbers_of_part);
    for_each_part(count, [&](std::size_t begin, std::size_t end) {
      Part& part = result.parts_[begin / numbers_of_part];
      RowAccumulator other, row;
      for (std::size_t k = begin; k < end; ++k) {
        compute(k, other, row);
        part.append(row.take());
      }
      part.entries.shrink_to_fit();
    });
    return result;
  }

 private:
  struct Part {
    std::vector<std::int64_t> first{0};
    std::vector<Entry> entries{};

    [[nodiscard]] std::size_t rows() const { return first.size() - 1; }
    void append(std::vector<Entry> const& row) {
      entries.insert(entries.end(), row.begin(), row.end());
      first.push_back(static_cast<std::int64_t>(entries.size()));
    }
  };
  std::vector<Part> parts_{};  ///< of numbers_of_part rows, except the last
};

/// The columns of a rank's rows of P: all aggregates of the rank, then those of other ranks in the
/// order of their keys.
class Columns {
 public:
  /// @param own    number of the rank's aggregates
  /// @param other  keys of others, with repetitions
  Columns(std::int32_t rank, std::size_t own, std::vector<std::uint64_t> other)
      : rank_(rank), own_(own), other_(std::move(other)) {
    std::ranges::sort(other_);
    other_.erase(std::unique(other_.begin(), other_.end()), other_.end());
  }

  [[nodiscard]] std::size_t own() const { return own_; }
  [[nodiscard]] std::size_t total() const { return own_ + other_.size(); }
  [[nodiscard]] NodeAddress address(std::size_t column) const {
    if (column < own_) return {rank_, static_cast<std::int32_t>(column)};
    return NodeAddress::of(other_[column - own_]);
  }
  [[nodiscard]] std::size_t number(std::uint64_t key) const {
    NodeAddress const address = NodeAddress::of(key);
    if (address.rank == rank_) return static_cast<std::size_t>(address.row);
    auto const at = std::ranges::lower_bound(other_, key);
    return own_ + static_cast<std::size_t>(at - other_.begin());
  }

 private:
  std::int32_t rank_;
  std::size_t own_;
  std::vector<std::uint64_t> other_;
};

/// The rows of PᵀAP of a rank's aggregates.
struct CoarseRows {
  KeyedRows rows{};                          ///< of this rank's points alone
  std::size_t count = 0;                     ///< of aggregates
  std::vector<std::vector<Entry>> summed{};  ///< rows that replace those other ranks add to

  /// Calls visit(column, value) for the entries of an aggregate's row.
  template <class Visit>
  void each(std::size_t k, Visit const& visit) const {
    if (summed.empty() || summed[k].empty()) return rows.each(k, visit);
    for (auto const& [column, value] : summed[k]) visit(column, value);
  }
};

/// Appends a number or an entry to a message.
template <class Value>
void put(Bytes& bytes, Value const& value) {
  std::size_t const at = bytes.size();
  bytes.resize(at + sizeof(Value));
  std::memcpy(bytes.data() + at, &value, sizeof(Value));
}
/// Reads a message from its beginning.
class MessageReader {
 public:
  explicit MessageReader(Bytes const& bytes) : bytes_(&bytes) {}
  [[nodiscard]] bool at_end() const { return at_ == bytes_->size(); }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, bytes_->data() + at_, sizeof(Value));
    at_ += sizeof(Value);
    return value;
  }

 private:
  Bytes const* bytes_;
  std::size_t at_ = 0;
};

/// Appends a row to a message: the number of its entries, then these.
void put_row(Bytes& bytes, KeyedRows const& rows, std::size_t row) {
  put(bytes, rows.length(row));
  rows.each(row, [&](std::uint64_t column, double value) {
    put(bytes, column);
    put(bytes, value);
  });
}
/// Reads a row: calls visit(column, value) for its entries.
template <class Visit>
void take_row(MessageReader& message, Visit const& visit) {
  for (auto left = message.take<std::int64_t>(); left > 0; --left) {
    auto const column = message.take<std::uint64_t>();
    visit(column, message.take<double>());
  }
}

/// Computes P and PᵀAP of one level.
template <class Real>
class Coarsening {
 public:
  Coarsening(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
             Aggregates const& aggregates)
      : a_(&a), nodes_(&a.nodes), diagonal_(&diagonal), aggregates_(&aggregates) {}

  Coarsened<Real> compute() {
    KeyedRows p = KeyedRows::computed(
        nodes_->owned(), [&](std::size_t row, RowAccumulator& whole, RowAccumulator& to) {
          add_row_of_prolongation(row, whole, to);
        });
    Columns const columns(nodes_->rank(), aggregates_->count(), others_in(p, nodes_->owned()));
    SparseRows<double> restriction =
        transposed(made_by_rows<double>(nodes_->owned(),
                                        [&](std::size_t row, auto const& visit) {
                                          p.each(row, [&](std::uint64_t key, double value) {
                                            visit(columns.number(key), value);
                                          });
                                        }),
                   columns.total());
    append_ghost_rows(p);
    CoarseRows const coarse = summed_at_owners(columns, products(restriction, p));

    Coarsened<Real> result;
    GhostNodes& nodes = result.coarse.nodes;
    nodes = coarse_nodes(columns, coarse);
    set_row_sums(p, columns, restriction, result);
    restriction = {};
    result.prolongation =
        made_by_rows<Real>(nodes_->owned(), [&](std::size_t row, auto const& visit) {
          p.each(row, [&](std::uint64_t key, double value) {
            visit(nodes.number(NodeAddress::of(key)), value);
          });
        });
    p = {};
    // All entries but the diagonal.
    result.coarse.links = made_by_rows<Real>(coarse.count, [&](std::size_t k, auto const& visit) {
      coarse.each(k, [&](std::uint64_t key, double value) {
        std::size_t const number = nodes.number(NodeAddress::of(key));
        if (number != k && value != 0.0) visit(number, value);
      });
    });
    result.coarse.id = aggregates_->root_id;
    result.coarse.id.resize(nodes.total());
    nodes.fill(result.coarse.id);
    return result;
  }

 private:
  [[nodiscard]] NodeAddress aggregate(std::size_t p) const { return aggregates_->aggregate[p]; }

  /// Adds row p of P: the entries of the whole row that are at least smallest_weight times the
  /// largest, and that of the node's own aggregate, scaled so that they keep the sum of the row.
  /// @param whole  empty before and after
  void add_row_of_prolongation(std::size_t p, RowAccumulator& whole, RowAccumulator& to) const {
    find_whole_row(p, whole);
    std::vector<Entry> const& row = whole.take();
    double largest = 0.0;
    for (auto const& [column, value] : row) largest = std::max(largest, std::abs(value));
    std::uint64_t const own = aggregate(p).exists() ? aggregate(p).key() : no_key;
    auto const is_large = [&](Entry const& entry) {
      return std::abs(entry.second) >= smallest_weight * largest || entry.first == own;
    };
    double sum = 0.0, kept = 0.0;
    for (Entry const& entry : row) {
      sum += entry.second;
      if (is_large(entry)) kept += entry.second;
    }
    // Entries of both signs may nearly cancel. Such a row remains whole.
    bool const is_scalable = 2.0 * kept > sum && sum > 0.0;
    double const scale = is_scalable ? sum / kept : 1.0;
    for (Entry const& entry : row) {
      if (!is_scalable || is_large(entry)) to.add(entry.first, scale * entry.second);
    }
  }
  /// Finds row p of (I − ω D⁻¹ A) T. A node without an aggregate takes the mean of its neighbours
  /// instead, the solution of its own equation.
  void find_whole_row(std::size_t p, RowAccumulator& to) const {
    double const diagonal = (*diagonal_)[p];
    if (!(diagonal > 0.0)) return;
    double row_sum = diagonal;
    a_->links.each(p, [&](std::size_t, Real a) { row_sum += std::abs(static_cast<double>(a)); });
    bool const has_own = aggregate(p).exists();
    double const step = has_own ? 4.0 / 3.0 / row_sum : 1.0 / diagonal;
    if (has_own) to.add(aggregate(p).key(), 1.0 - step * diagonal);
    a_->links.each(p, [&](std::size_t q, Real a) {
      if (aggregate(q).exists()) to.add(aggregate(q).key(), -step * static_cast<double>(a));
    });
  }

  /// Returns the keys of other ranks' aggregates in the first rows, with repetitions.
  template <class Rows>
  [[nodiscard]] std::vector<std::uint64_t> others_in(Rows const& rows, std::size_t count) const {
    std::vector<std::uint64_t> others;
    if (nodes_->ranks() == nullptr) return others;
    for (std::size_t row = 0; row < count; ++row) {
      rows.each(row, [&](std::uint64_t key, double) {
        if (NodeAddress::of(key).rank != nodes_->rank()) others.push_back(key);
      });
    }
    return others;
  }

  /// Appends the rows of P of the fine ghosts, which their owners send.
  void append_ghost_rows(KeyedRows& p) const {
    if (nodes_->wanted().empty()) return;
    std::vector<Bytes> messages;
    for (auto const& rows : nodes_->wanted()) {
      Bytes& message = messages.emplace_back();
      for (std::int32_t const row : rows) put_row(message, p, static_cast<std::size_t>(row));
    }
    // Ghosts are in the order of their owners.
    for (Bytes const& bytes : nodes_->ranks()->exchange(messages)) {
      for (MessageReader message(bytes); !message.at_end();) {
        std::vector<Entry> row;
        take_row(message,
                 [&](std::uint64_t column, double value) { row.emplace_back(column, value); });
        p.append(row);
      }
    }
  }

  /// Returns the rows of PᵀAP, as (PᵀA) P row by row. The product A P, which has several times the
  /// entries of P, is not stored.
  [[nodiscard]] KeyedRows products(SparseRows<double> const& restriction,
                                   KeyedRows const& p) const {
    auto const compute = [&](std::size_t k, RowAccumulator& fine, RowAccumulator& to) {
      // Several points of an aggregate refer to the same neighbours.
      restriction.each(k, [&](std::size_t row, double weight) {
        fine.add(row, weight * (*diagonal_)[row]);
        a_->links.each(
            row, [&](std::size_t q, Real a) { fine.add(q, weight * static_cast<double>(a)); });
      });
      for (Entry const& entry : fine.take()) {
        p.each(static_cast<std::size_t>(entry.first),
               [&](std::uint64_t column, double value) { to.add(column, entry.second * value); });
      }
    };
    return KeyedRows::computed(restriction.rows(), compute);
  }
  /// Returns the rows of this rank's aggregates, with the contributions of all ranks.
  /// @param mine  a row for each column of this rank's rows of P
  [[nodiscard]] CoarseRows summed_at_owners(Columns const& columns, KeyedRows mine) const {
    CoarseRows result{std::move(mine), aggregates_->count()};
    if (nodes_->ranks() == nullptr) return result;
    mpi::Communicator const& ranks = *nodes_->ranks();
    std::vector<Bytes> messages(static_cast<std::size_t>(ranks.size()));
    for (std::size_t k = columns.own(); k < columns.total(); ++k) {
      NodeAddress const owner = columns.address(k);
      Bytes& message = messages[static_cast<std::size_t>(owner.rank)];
      put(message, owner.row);
      put_row(message, result.rows, k);
    }
    std::vector<RowAccumulator> sums;
    std::vector<std::size_t> place(result.count, none);
    result.summed.resize(result.count);
    for (Bytes const& bytes : ranks.exchange(messages)) {
      for (MessageReader message(bytes); !message.at_end();) {
        auto const k = static_cast<std::size_t>(message.take<std::int32_t>());
        if (place[k] == none) {
          place[k] = sums.size();
          auto& sum = sums.emplace_back();
          result.each(k, [&](std::uint64_t column, double value) { sum.add(column, value); });
        }
        take_row(message,
                 [&](std::uint64_t column, double value) { sums[place[k]].add(column, value); });
      }
    }
    for (std::size_t k = 0; k < result.count; ++k) {
      if (place[k] != none) result.summed[k] = sums[place[k]].take();
    }
    return result;
  }

  /// Returns the nodes of the coarser level, whose ghosts are all columns of P and of its rows.
  [[nodiscard]] GhostNodes coarse_nodes(Columns const& columns, CoarseRows const& coarse) const {
    if (nodes_->ranks() == nullptr) return GhostNodes(aggregates_->count());
    std::vector<NodeAddress> ghosts;
    for (std::size_t k = columns.own(); k < columns.total(); ++k) {
      ghosts.push_back(columns.address(k));
    }
    for (std::uint64_t const key : others_in(coarse, coarse.count)) {
      ghosts.push_back(NodeAddress::of(key));
    }
    return {*nodes_->ranks(), aggregates_->count(), std::move(ghosts)};
  }

  /// Returns P 1 at all fine nodes: exactly 1 if nothing holds the node, and it and its neighbours
  /// have aggregates.
  [[nodiscard]] std::vector<double> prolongated_one(KeyedRows const& p) const {
    std::vector<double> one(nodes_->total());
    for_each_number(nodes_->owned(), [&](std::size_t row) {
      bool whole = a_->hold[row] == Real{0} && (*diagonal_)[row] > 0.0;
      a_->links.each(row, [&](std::size_t q, Real) { whole = whole && aggregate(q).exists(); });
      double sum = 0.0;
      p.each(row, [&](std::uint64_t, double value) { sum += value; });
      one[row] = whole ? 1.0 : sum;
    });
    nodes_->fill(one);
    return one;
  }
  /// Sets the row sums PᵀAP 1, by differences that vanish exactly if P 1 is constant, and the
  /// stiffness of the aggregates.
  void set_row_sums(KeyedRows const& p, Columns const& columns,
                    SparseRows<double> const& restriction, Coarsened<Real>& result) const {
    std::vector<double> const one = prolongated_one(p);
    std::vector<double> sums(nodes_->owned());  // A P 1
    for_each_number(sums.size(), [&](std::size_t row) {
      double sum = static_cast<double>(a_->hold[row]) * one[row];
      a_->links.each(
          row, [&](std::size_t q, Real a) { sum += static_cast<double>(a) * (one[q] - one[row]); });
      sums[row] = sum;
    });
    GhostNodes const& nodes = result.coarse.nodes;
    std::vector<double> hold(nodes.total());
    std::vector<double> stiffness(nodes.total());
    for_each_number(columns.total(), [&](std::size_t k) {
      NodeAddress const address = columns.address(k);
      std::size_t const number = nodes.number(address);
      restriction.each(k, [&](std::size_t row, double weight) {
        hold[number] += weight * sums[row];
        if (aggregate(row) == address) stiffness[number] += a_->stiffness[row];
      });
    });
    nodes.add_to_owners(hold);
    nodes.add_to_owners(stiffness);
    hold.resize(nodes.owned());
    stiffness.resize(hold.size());
    result.coarse.hold.assign(hold.begin(), hold.end());
    result.coarse.stiffness = std::move(stiffness);
  }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint64_t no_key = std::numeric_limits<std::uint64_t>::max();
  NodeOperator<Real> const* a_;
  GhostNodes const* nodes_;
  std::vector<double> const* diagonal_;
  Aggregates const* aggregates_;
};

}  // namespace

template <class Real>
Coarsened<Real> coarsen(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                        Aggregates const& aggregates) {
  return Coarsening<Real>(a, diagonal, aggregates).compute();
}

template <class Real>
NodeOperator<Real> gathered(NodeOperator<Real> const& a) {
  if (a.nodes.ranks() == nullptr) return a;
  Bytes bytes;
  for (std::size_t p = 0; p < a.nodes.owned(); ++p) {
    put(bytes, a.id[p]);
    put(bytes, a.hold[p]);
    put(bytes, a.stiffness[p]);
    put(bytes, a.links.first[p + 1] - a.links.first[p]);
    a.links.each(p, [&](std::size_t q, Real value) {
      put(bytes, a.nodes.address(q));
      put(bytes, value);
    });
  }
  mpi::Communicator const& ranks = *a.nodes.ranks();
  std::vector<Bytes> const parts =
      ranks.exchange(std::vector<Bytes>(static_cast<std::size_t>(ranks.size()), bytes));
  // The first row of each rank.
  std::vector<std::int32_t> offset{0};
  for (std::int64_t const count : a.nodes.counts()) {
    offset.push_back(offset.back() + static_cast<std::int32_t>(count));
  }
  NodeOperator<Real> result;
  result.nodes = GhostNodes(static_cast<std::size_t>(offset.back()));
  for (Bytes const& part : parts) {
    for (MessageReader message(part); !message.at_end();) {
      result.id.push_back(message.take<std::int64_t>());
      result.hold.push_back(message.take<Real>());
      result.stiffness.push_back(message.take<double>());
      for (auto left = message.take<std::int64_t>(); left > 0; --left) {
        auto const address = message.take<NodeAddress>();
        result.links.column.push_back(offset[static_cast<std::size_t>(address.rank)] + address.row);
        result.links.value.push_back(message.take<Real>());
      }
      result.links.first.push_back(static_cast<std::int64_t>(result.links.column.size()));
    }
  }
  return result;
}

template Coarsened<float> coarsen(NodeOperator<float> const&, std::vector<double> const&,
                                  Aggregates const&);
template Coarsened<double> coarsen(NodeOperator<double> const&, std::vector<double> const&,
                                   Aggregates const&);
template NodeOperator<float> gathered(NodeOperator<float> const&);
template NodeOperator<double> gathered(NodeOperator<double> const&);

}  // namespace isotherm
