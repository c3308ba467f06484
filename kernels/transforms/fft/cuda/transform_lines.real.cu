#include <algorithm>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/transforms/fft/cuda/line_stages.cuh"
#include "kernels/transforms/fft/cuda/registers/register_transform.hpp"
#include "kernels/transforms/fft/cuda/transform_lines.hpp"

namespace isotherm::cuda {

namespace {

/// Transforms one tile of lines per block, in shared memory.
template <LineForm to_modes, LineForm to_points, class Real>
__global__ void __launch_bounds__(max_threads, 1)
    lines_kernel(__grid_constant__ LineTransform<Real> const transform, LinePass pass,
                 LineField<Real const> from, LineField<Real> to, TileShape shape,
                 Spectrum<Real> spectrum) {
  extern __shared__ __align__(16) unsigned char memory[];
  Tile<Real> const tile(shape, reinterpret_cast<Complex<Real>*>(memory));
  tile.load(from, pass == LinePass::to_points ? transform.to_points : transform.to_modes);
  __syncthreads();
  if (pass != LinePass::to_points) {
    transform_tile<to_modes>(tile, transform.plan, transform.roots, transform.to_modes);
  }
  if (pass == LinePass::solve) {
    tile.divide(spectrum, transform.to_points);
    __syncthreads();
  }
  if (pass != LinePass::to_modes) {
    transform_tile<to_points>(tile, transform.plan, transform.roots, transform.to_points);
  }
  tile.store(to, pass == LinePass::to_modes ? transform.to_modes : transform.to_points);
}

/// Returns the number of complex lines of a block: rows of 128 bytes along y and z if they fit,
/// more if lines are short. A power of two.
/// @param max_bytes  limit of the shared memory of a block
template <class Real>
int pairs_of_tile(int length, int max_bytes) {
  constexpr int bytes = 1 << 16;  // of shared memory, such that several blocks share it
  constexpr int row = 64 / static_cast<int>(sizeof(Real));
  int const bytes_of_line = length * static_cast<int>(sizeof(Complex<Real>));
  int const fitting = bytes / bytes_of_line;
  int const limit = std::min({max_threads * points_per_thread / length, std::max(fitting, row), 32,
                              max_bytes / (bytes_of_line + bytes_of_line / 16)});
  int pairs = 1;
  while (2 * pairs <= limit) pairs *= 2;
  return pairs;
}

template <class Real>
TileShape shape_of(Queue const& queue, LineTransform<Real> const& transform, LocalBox const& box,
                   int axis) {
  int const length = transform.plan.length;
  TileShape shape{};
  shape.axis = axis;
  shape.pairs = pairs_of_tile<Real>(length, max_shared_bytes(queue.device()));
  shape.threads = (length + points_per_thread - 1) / points_per_thread;
  shape.pitch = (length + 8) / 8 * 8;
  shape.pair_stride = axis == 0 ? shape.pitch : 1;
  shape.node_stride = axis == 0 ? 1 : shape.pairs;
  shape.lines = static_cast<int>(box.extent()[axis == 0 ? 1 : 0]);
  shape.tiles = static_cast<int>(tiles(shape.lines, 2 * std::int64_t{shape.pairs}));
  return shape;
}

/// Starts the kernel for a pair of forms.
template <LineForm to_modes, LineForm to_points, class Real>
void start(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
           FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
           Spectrum<Real> const& spectrum) {
  TileShape const shape = shape_of(queue, transform, box, axis);
  std::int64_t const blocks = shape.tiles * box.extent()[axis == 2 ? 1 : 2];
  require(blocks < (std::int64_t{1} << 31), "a transform has too many lines for one kernel");
  auto const values = static_cast<std::size_t>(shape.pairs * (shape.pitch + sums_of_pair));
  std::size_t const bytes = values * sizeof(Complex<Real>);
  auto const kernel = lines_kernel<to_modes, to_points, Real>;
  auto const stream = make_current(queue);
  check(cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<static_cast<unsigned>(blocks), shape.pairs * shape.threads, bytes, stream>>>(
      transform, pass, lines_of(from, box, axis), lines_of(to, box, axis), shape, spectrum);
  check_launch();
}

}  // namespace

template <class Real>
void transform_lines(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
                     FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                     Spectrum<Real> const& spectrum) {
  if (transform_in_registers(queue, transform, pass, from, to, box, axis, spectrum)) return;
  switch (transform.to_modes.form) {
    case LineForm::sine:
      return start<LineForm::sine, LineForm::sine>(queue, transform, pass, from, to, box, axis,
                                                   spectrum);
    case LineForm::cosine:
      return start<LineForm::cosine, LineForm::cosine>(queue, transform, pass, from, to, box, axis,
                                                       spectrum);
    case LineForm::quarter_to_modes:
      return start<LineForm::quarter_to_modes, LineForm::quarter_to_points>(
          queue, transform, pass, from, to, box, axis, spectrum);
    default:
      return start<LineForm::periodic_to_modes, LineForm::periodic_to_points>(
          queue, transform, pass, from, to, box, axis, spectrum);
  }
}

template void transform_lines(Queue&, LineTransform<ISOTHERM_REAL> const&, LinePass,
                              FieldView<ISOTHERM_REAL const>, FieldView<ISOTHERM_REAL>,
                              LocalBox const&, int, Spectrum<ISOTHERM_REAL> const&);

}  // namespace isotherm::cuda
