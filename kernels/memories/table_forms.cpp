#include "kernels/memories/table_forms.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/filters/cpu/correlation.hpp"
#include "kernels/memories/cuda/table_forms.hpp"

namespace isotherm {

namespace {

/// Returns the weights as a 2D texture: the planes of the table one below the other.
Texture texture_of(Queue& queue, WeightTable const& table, float const* weights) {
  LocalBox const box{{}, {table.extent.x, table.extent.y * table.extent.z, 1}};
  FieldView<float const> const view{weights, box.upper.x, box.upper.x * box.upper.y, box};
  return {queue, view, box, TextureFilter::nearest};
}

}  // namespace

std::vector<KernelForm> table_forms(Backend backend) {
  return dispatch(
      backend,
      [] {
        return std::vector<KernelForm>{{"memory", "table in memory and caches"}};
      },
      [](auto) { return cuda::table_forms(); });
}

TableCorrelation::TableCorrelation(Queue& queue, std::string const& form, WeightTable const& table)
    : queue_(&queue),
      form_(form_number(table_forms(queue.backend()), form, "a table")),
      table_(table),
      weights_(table.values.begin(), table.values.end()) {
  Extent3 const n = table.extent;
  require(is_table(n) && weights_.size() == static_cast<std::size_t>(n.x * n.y * n.z),
          "a table of weights needs odd numbers of planes, rows and weights per row");
  dispatch(
      queue, [] {},
      [&](auto) {
        memory_ = Buffer(queue, Space::device, weights_.size() * sizeof(float));
        copy_bytes(queue, memory_.data(), weights_.data(), memory_.bytes());
        texture_ = texture_of(queue, table, memory_.as<float const>());
        cuda::set_constant_table(queue, weights_);
      });
}

void TableCorrelation::apply(FieldView<float const> from, FieldView<float> to, LocalBox box) const {
  require(to.box.contains(box) && (box.empty() || from.box.contains(box.grown(table_.reach()))),
          "a correlation reaches past its fields");
  if (box.empty()) return;
  Extent3 const n = table_.extent;
  TableShape const shape{static_cast<int>(n.x), static_cast<int>(n.y), static_cast<int>(n.z),
                         from.stride_y, from.stride_z};
  dispatch(
      *queue_, [&] { cpu::correlate(from, to, box, shape, weights_.data()); },
      [&](auto) {
        cuda::correlate_by_form(*queue_, form_, from, to, box, shape, memory_.as<float const>(),
                                texture_->object());
      });
}

}  // namespace isotherm
