#include "kernels/aggregates/node_rows.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/core/queue/memory.hpp"
#include "tests/support/backends.hpp"

// Products with sparse matrices and sweeps, compared with loops over their dense matrices. All
// numbers are small multiples of 1/8, so sums are exact in any order.

namespace isotherm::test {
namespace {

/// A list of the host in the memory of a queue.
template <class T>
class Uploaded {
 public:
  Uploaded(Queue& queue, std::vector<T> const& values)
      : count_(values.size()), memory_(queue, Space::device, values.size() * sizeof(T)) {
    copy_bytes(queue, memory_.data(), values.data(), memory_.bytes());
    queue.wait();
  }
  [[nodiscard]] T* data() const { return memory_.as<T>(); }
  [[nodiscard]] std::vector<T> read(Queue& queue) const {
    std::vector<T> values(count_);
    copy_bytes(queue, values.data(), memory_.data(), memory_.bytes());
    queue.wait();
    return values;
  }

 private:
  std::size_t count_;
  Buffer memory_;
};

/// More rows than a thread's part of them; some are empty.
constexpr std::int64_t count = 5001;

/// Row i has i mod 5 entries.
template <class Real>
struct Rows {
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> column{};
  std::vector<Real> value{};

  Rows() {
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t n = 0; n < i % 5; ++n) {
        column.push_back(static_cast<std::int32_t>((37 * i + 911 * n + 1) % count));
        value.push_back(static_cast<Real>((i + 3 * n) % 7 - 3) / Real{4});
      }
      first.push_back(static_cast<std::int64_t>(column.size()));
    }
  }
  /// Calls visit(column, value) for the entries of a row.
  template <class Visit>
  void each(std::size_t row, Visit const& visit) const {
    for (auto n = static_cast<std::size_t>(first[row]);
         n < static_cast<std::size_t>(first[row + 1]); ++n) {
      visit(static_cast<std::size_t>(column[n]), value[n]);
    }
  }
};

/// Values between −2 and 2.
template <class Real>
std::vector<Real> some_values(std::int64_t seed) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<Real>((seed * i + 5) % 17 - 8) / Real{4});
  }
  return values;
}

template <class Real>
class NodeRows : public BackendTest {
 protected:
  Queue queue = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Rows<Real> const rows{};
  std::vector<Real> const e = some_values<Real>(3);
  std::vector<Real> const r = some_values<Real>(7);
  std::vector<Real> const hold = some_values<Real>(11);
  std::vector<Real> const inverse = some_values<Real>(13);
  Uploaded<std::int64_t> const first{queue, rows.first};
  Uploaded<std::int32_t> const column{queue, rows.column};
  Uploaded<Real> const value{queue, rows.value};
  Uploaded<Real> const on_e{queue, e}, on_r{queue, r}, on_hold{queue, hold};
  Uploaded<Real> const on_inverse{queue, inverse};
  RowsView<Real> const matrix{count, first.data(), column.data(), value.data()};
  OperatorRows<Real> const a{matrix, on_hold.data(), on_inverse.data()};

  [[nodiscard]] Real product(std::size_t i) const {
    Real sum{0};
    rows.each(i, [&](std::size_t k, Real m) { sum += m * e[k]; });
    return sum;
  }
  [[nodiscard]] Real residual(std::size_t p) const {
    Real sum = hold[p] * e[p];
    rows.each(p, [&](std::size_t q, Real link) { sum += link * (e[q] - e[p]); });
    return r[p] - sum;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(NodeRows, Reals);

TYPED_TEST(NodeRows, ProductsAreThoseOfTheDenseMatrix) {
  Uploaded<TypeParam> const to(this->queue, this->r);
  multiply_rows(this->queue, this->matrix, this->on_e.data(), to.data());
  auto const product = to.read(this->queue);
  add_rows_product(this->queue, this->matrix, this->on_e.data(), to.data());
  auto const twice = to.read(this->queue);
  for (std::size_t i = 0; i < product.size(); ++i) {
    ASSERT_EQ(product[i], this->product(i)) << i;
    ASSERT_EQ(twice[i], 2 * this->product(i)) << i;
  }
}

TYPED_TEST(NodeRows, SweepsAddTheScaledResidual) {
  TypeParam const step{0.5};
  Uploaded<TypeParam> const to(this->queue, this->r);
  find_node_residual(this->queue, this->a, this->on_r.data(), this->on_e.data(), to.data());
  auto const residual = to.read(this->queue);
  sweep_nodes(this->queue, this->a, step, this->on_r.data(), this->on_e.data(), to.data());
  auto const swept = to.read(this->queue);
  sweep_nodes_from_zero(this->queue, this->a, step, this->on_r.data(), to.data());
  auto const first_sweep = to.read(this->queue);
  for (std::size_t p = 0; p < residual.size(); ++p) {
    ASSERT_EQ(residual[p], this->residual(p)) << p;
    ASSERT_EQ(swept[p], this->e[p] + step * this->inverse[p] * this->residual(p)) << p;
    ASSERT_EQ(first_sweep[p], step * this->inverse[p] * this->r[p]) << p;
  }
}

TYPED_TEST(NodeRows, ListsChooseValuesAndAddThem) {
  std::vector<std::int32_t> const list{17, 4, 5000, 0};
  Uploaded<std::int32_t> const chosen_rows(this->queue, list);
  Uploaded<TypeParam> const chosen(this->queue, std::vector<TypeParam>(list.size()));
  Uploaded<TypeParam> const to(this->queue, this->r);
  auto const size = static_cast<std::int64_t>(list.size());
  choose_values(this->queue, chosen_rows.data(), size, this->on_e.data(), chosen.data());
  add_values(this->queue, chosen_rows.data(), size, chosen.data(), to.data());
  auto wanted = this->r;
  for (std::int32_t const row : list) {
    wanted[static_cast<std::size_t>(row)] += this->e[static_cast<std::size_t>(row)];
  }
  EXPECT_EQ(to.read(this->queue), wanted);
}

}  // namespace
}  // namespace isotherm::test
