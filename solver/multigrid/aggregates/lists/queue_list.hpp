#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/aggregates/node_rows.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/queue/memory.hpp"
#include "solver/multigrid/aggregates/sparse_rows.hpp"

namespace isotherm {

/// A list of fixed length in the memory of a queue's backend.
template <class T>
class QueueList {
 public:
  QueueList() = default;
  /// Allocates the list, and enqueues setting it to zero.
  QueueList(Queue& queue, std::size_t count) : QueueList(count, queue) {
    fill_bytes(queue, memory_.data(), 0, memory_.bytes());
  }
  /// Copies a list of the host, which is freed. Waits for the queue.
  template <class Allocator>
  QueueList(Queue& queue, std::vector<T, Allocator> values) : QueueList(values.size(), queue) {
    copy_bytes(queue, memory_.data(), values.data(), memory_.bytes());
    queue.wait();
  }

  [[nodiscard]] T* data() { return memory_.as<T>(); }
  [[nodiscard]] T const* data() const { return memory_.as<T const>(); }
  [[nodiscard]] std::size_t size() const { return memory_.bytes() / sizeof(T); }
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }

 private:
  QueueList(std::size_t count, Queue& queue)
      : memory_(queue, Space::device, product_of_bytes(count, sizeof(T))) {}

  Buffer memory_{};
};

/// A sparse matrix in the memory of a queue's backend.
template <class Real>
class QueueRows {
 public:
  QueueRows() = default;
  /// Copies a matrix of the host, which is freed. Waits for the queue.
  QueueRows(Queue& queue, SparseRows<Real> rows)
      : first_(queue, std::move(rows.first)),
        column_(queue, std::move(rows.column)),
        value_(queue, std::move(rows.value)) {}

  [[nodiscard]] RowsView<Real> view() const {
    auto const rows = first_.size() == 0 ? 0 : first_.size() - 1;
    return {static_cast<std::int64_t>(rows), first_.data(), column_.data(), value_.data()};
  }
  [[nodiscard]] std::size_t bytes() const {
    return first_.bytes() + column_.bytes() + value_.bytes();
  }

 private:
  QueueList<std::int64_t> first_{};
  QueueList<std::int32_t> column_{};
  QueueList<Real> value_{};
};

/// A list of numbers in the memory of a queue's backend, and its copy in host memory for messages.
/// On the CPU both are one.
template <class Real>
class MirroredList {
 public:
  MirroredList(Queue& queue, std::size_t count)
      : on_queue_(queue, count), is_one_(queue.backend() == Backend::cpu) {
    if (!is_one_) host_ = Buffer(queue, Space::pinned, on_queue_.bytes());
  }

  /// The list that work of the queue reads and writes.
  [[nodiscard]] Real* on_queue() { return on_queue_.data(); }
  /// The list that the host reads after fetch(), and writes before send().
  [[nodiscard]] Real* on_host() { return is_one_ ? on_queue_.data() : host_.as<Real>(); }
  /// Copies the list to the host. Waits for the queue, so the host may write its copy afterwards.
  void fetch(Queue& queue) {
    if (is_one_) return;
    copy_bytes(queue, host_.data(), on_queue_.data(), host_.bytes());
    queue.wait();
  }
  /// Enqueues copying the host's list. The host must not write it before the queue has waited.
  void send(Queue& queue) {
    if (!is_one_) copy_bytes(queue, on_queue_.data(), host_.data(), host_.bytes());
  }
  [[nodiscard]] std::size_t size() const { return on_queue_.size(); }
  [[nodiscard]] std::size_t bytes() const { return on_queue_.bytes() + host_.bytes(); }

 private:
  QueueList<Real> on_queue_;
  bool is_one_;
  Buffer host_{};  ///< pinned; empty on the CPU
};

}  // namespace isotherm
