#include <gtest/gtest.h>

#include <vector>

#include "kernels/faces/faces.hpp"
#include "solver/multigrid/aggregates/lists/host_operator.hpp"
#include "solver/multigrid/aggregates/lists/node_exchange.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Lists of nodes in the memory of a backend: their exchange between ranks, and the copy of a grid's
// operator to the host.

namespace isotherm::test {
namespace {

class NodeLists : public BackendTest {
 protected:
  mpi::Communicator const ranks{MPI_COMM_WORLD};
  Queue queue = backend_missing().empty() ? make_queue(ranks.local_rank()) : Queue(Backend::cpu);

  std::vector<double> read(QueueList<double> const& list) {
    std::vector<double> values(list.size());
    copy_bytes(queue, values.data(), list.data(), list.bytes());
    queue.wait();
    return values;
  }
  /// The value of a rank's node before the exchange.
  static double value_of(int rank, std::size_t row) {
    return 100.0 * rank + static_cast<double>(row);
  }
};

/// Rank n has n + 3 nodes. All ranks have node 1 of all others as a ghost, and node 0 of rank 0.
TEST_F(NodeLists, GhostsGetTheValuesOfTheirOwnersAndReturnThem) {
  auto const owned = static_cast<std::size_t>(ranks.rank()) + 3;
  std::vector<NodeAddress> addresses;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank()) continue;
    addresses.push_back({rank, 1});
    if (rank == 0) addresses.push_back({rank, 0});
  }
  NodeExchange<double> exchange(queue, GhostNodes(ranks, owned, addresses));
  GhostNodes const& nodes = exchange.nodes();
  ASSERT_EQ(nodes.total(), owned + addresses.size());
  std::vector<double> before(nodes.total(), -1.0);
  for (std::size_t p = 0; p < owned; ++p) before[p] = value_of(ranks.rank(), p);

  // Repeated, since a message buffer is used again.
  for (int repetition = 0; repetition < 3; ++repetition) {
    QueueList<double> list(queue, before);
    exchange.fill(list.data());
    std::vector<double> const filled = read(list);
    for (std::size_t p = 0; p < owned; ++p) EXPECT_EQ(filled[p], before[p]);
    for (std::size_t n = 0; n < nodes.ghosts().size(); ++n) {
      NodeAddress const of = nodes.ghosts()[n];
      EXPECT_EQ(filled[owned + n], value_of(of.rank, static_cast<std::size_t>(of.row)));
    }
    exchange.add_to_owners(list.data());
    std::vector<double> const added = read(list);
    int const others = ranks.size() - 1;
    for (std::size_t p = 0; p < owned; ++p) {
      bool const is_shared = p == 1 || (p == 0 && ranks.rank() == 0);
      EXPECT_EQ(added[p], (is_shared ? 1 + others : 1) * before[p]) << p;
    }
  }
}

/// A list of the host survives the way to the queue's memory and back.
TEST_F(NodeLists, MirroredListsAgreeAfterCopies) {
  MirroredList<double> list(queue, 1000);
  for (int repetition = 0; repetition < 3; ++repetition) {
    list.fetch(queue);
    for (std::size_t n = 0; n < list.size(); ++n) {
      list.on_host()[n] = repetition + static_cast<double>(n);
    }
    list.send(queue);
    std::vector<double> found(list.size());
    copy_bytes(queue, found.data(), list.on_queue(), found.size() * sizeof(double));
    queue.wait();
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_EQ(found[n], repetition + static_cast<double>(n));
    }
  }
}

/// Copies on the host have the points of the field, ghost layer included, at the same indices.
TEST_F(NodeLists, CopiesOfFieldsKeepTheirIndices) {
  for (Extent3 const points : {Extent3{7, 5, 1}, Extent3{9, 4, 3}}) {
    Index3 const halo{2, 1, points.z > 1 ? 1 : 0};
    Field<float> field(queue, points, halo);
    HostBox<float> const wanted = random_points<float>(field.layout().box(), 11);
    write_points(queue, field, wanted);
    FieldView<float const> const view = std::as_const(field).view();
    LocalBox const box = intersection(field.owned().grown({1, 1, 1}), view.box);
    std::vector<float> values;
    FieldView<float const> const copy = copied_to_host(queue, view, box, values);
    EXPECT_EQ(copy.box, box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      EXPECT_EQ(copy(i, j, k), wanted(i, j, k));
    });
    // On either backend the operator has these values.
    OperatorFields<float const> const fields{view, view, {}, view};
    HostOperator<float> const on_host(queue, fields, field.owned());
    EXPECT_FALSE(on_host.fields().z);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      EXPECT_EQ(on_host.fields().x(i, j, k), wanted(i, j, k));
      EXPECT_EQ(on_host.fields().reaction(i, j, k), wanted(i, j, k));
    });
  }
}

}  // namespace
}  // namespace isotherm::test
