#include "app/bench/studies/block_shapes.hpp"

#include <fmt/format.h>

#include "kernels/core/error.hpp"

namespace isotherm::app {

std::vector<BlockShape> published_shapes(bool in_3d) {
  if (in_3d) return {{16, 4, 4}, {8, 8, 8}, {32, 4, 4}, {32, 4, 2}, {32, 2, 4}};
  return {{16, 16, 1}, {32, 32, 1}, {64, 8, 1}, {128, 8, 1}};
}

std::string plan_name(std::string const& kernel, BlockShape shape) {
  std::string const plane = fmt::format("{} {}x{}", kernel, shape.x, shape.y);
  return shape.z > 1 ? fmt::format("{}x{}", plane, shape.z) : plane;
}

void check_shapes(Backend backend, std::vector<BlockShape> const& shapes) {
  if (backend != Backend::cpu || shapes.empty()) return;
  throw InputError("--shapes: kernels with a block shape need a GPU, but this runs on the CPU");
}

}  // namespace isotherm::app
