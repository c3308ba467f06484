#include "kernels/reductions/sum.hpp"

#include <limits>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/reductions/cpu/sum.hpp"
#include "kernels/reductions/cuda/sum.hpp"

namespace isotherm {

namespace {

/// Returns the bytes of the partial sums of any form.
std::size_t work_bytes(Backend backend, std::int64_t count) {
  return dispatch(
      backend, [] { return std::size_t{0}; }, [&](auto) { return cuda::sum_work_bytes(count); });
}

}  // namespace

std::vector<KernelForm> sum_forms(Backend backend) {
  return dispatch(
      backend, [] { return cpu::sum_forms(); }, [](auto) { return cuda::sum_forms(); });
}

Sum::Sum(Queue& queue, std::string const& form, std::int64_t count)
    : queue_(&queue),
      form_(form_number(sum_forms(queue.backend()), form, "a sum")),
      count_(count),
      work_(queue, Space::device, work_bytes(queue.backend(), count)),
      result_(queue, Space::device, sizeof(double)) {
  require(count >= 1 && count <= std::numeric_limits<std::int32_t>::max(),
          "a sum needs from 1 to 2^31 - 1 numbers, but there are " + std::to_string(count));
}

std::size_t Sum::footprint(Backend backend, std::int64_t count) {
  return Buffer::footprint(backend, Space::device, work_bytes(backend, count)) +
         Buffer::footprint(backend, Space::device, sizeof(double));
}

void Sum::add_up(float const* values) {
  dispatch(
      *queue_,
      [&] {
        *result_.as<double>() = cpu::add_up(form_, {values, static_cast<std::size_t>(count_)});
      },
      [&](auto) { cuda::add_up(*queue_, form_, values, count_, work_, result_.as<double>()); });
}

double Sum::read() {
  double sum = 0.0;
  copy_bytes(*queue_, &sum, result_.data(), sizeof sum);
  queue_->wait();
  return sum;
}

}  // namespace isotherm
