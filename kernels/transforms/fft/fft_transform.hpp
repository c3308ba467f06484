#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/axis_ends.hpp"
#include "kernels/transforms/fft/line_transform.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm {

/// Transforms lines of equally spaced points to the modes of the second difference, and back, by
/// fast Fourier transforms in O(N log N).
///
/// With w_j, the weight of point j (1/2 on Neumann faces, else 1), mode m of a line is Σ_j w_j u_j
/// φ_m(j). N is the number of intervals, j the node:
///
///   dirichlet           φ_m(j) = sin(π (m + 1) j / N)
///   neumann             φ_m(j) = cos(π m j / N)
///   neumann_dirichlet   φ_m(j) = cos(π (m + 1/2) j / N)
///   dirichlet_neumann   φ_m(j) = cos(π (m + 1/2) (N − j) / N)
///   periodic            φ_m(j) = cos(2π m j / N) if m ≤ N/2, else sin(2π (N − m) j / N)
///
/// The error of every output is less than 1e-13 of the largest one in float64 at N = 1024, and 1e-5
/// in float32. Results do not depend on the number of threads. Two lines are
/// transformed together, so the last bits of a line depend on its partner: adjacent lines from the
/// first line of each plane of the box on. Kernels of CUDA that keep lines in registers pair from
/// addresses of 16 bytes on, and in float32 the first and third of four lines.
///
///   FftTransform<double> const transform(queue, AxisEnds::dirichlet, 256);
///   transform.to_modes(queue, f.view(), f.view(), unknowns, 0);   // 255 points along x
///   transform.to_points(queue, f.view(), f.view(), unknowns, 0);  // as before, but for rounding
///
/// @tparam Real  float or double
template <class Real>
class FftTransform {
 public:
  /// Returns true if a backend can transform an axis of this many intervals: 2^a 3^b 5^c 7^d, at
  /// least 2 between Dirichlet ends, else 1. The CPU transforms up to max_fft_length intervals,
  /// CUDA up to 8192: a pair of lines must fit the shared memory of a block.
  static bool supports(Backend backend, AxisEnds ends, std::int64_t intervals);

  /// Computes the tables and copies them to the queue's memory. Waits for the queue.
  /// @param integration  what to_modes() and solve() read; see Integration
  /// @throws Error  unless supports(queue.backend(), ends, intervals)
  FftTransform(Queue& queue, AxisEnds ends, std::int64_t intervals,
               Integration integration = Integration::per_volume);

  /// Returns the number of points of a line, and of modes.
  [[nodiscard]] int count() const { return transform_.to_modes.count; }
  /// Returns the eigenvalues of −u_(j−1) + 2 u_j − u_(j+1) in the order of the modes, between 0
  /// and 4.
  [[nodiscard]] std::vector<double> const& eigenvalues() const { return eigenvalues_; }
  /// Returns true: source and result may be the same view.
  [[nodiscard]] static constexpr bool works_in_place() { return true; }

  /// Returns the allocated bytes.
  [[nodiscard]] std::size_t bytes() const { return tables_.bytes(); }
  /// Returns the name of this kind of transform.
  static constexpr char const* name() { return "fft"; }

  /// Enqueues replacing the points of each line of `box` along `axis` (0, 1, 2) by its modes.
  ///
  /// Nothing outside of `box` is written. `from` and `to` are the same view or do not overlap.
  /// @throws Error  if the extent of `box` along `axis` is not count(), or `box` extends beyond a
  ///   field
  void to_modes(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                int axis) const;
  /// Enqueues the inverse of to_modes() for values per volume.
  void to_points(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                 int axis) const;
  /// Enqueues to_modes(), the multiplication with spectrum.inverse(i, j, k) at point (i, j, k) of
  /// `box`, counted from its first point, and to_points(), in one pass through memory.
  void solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
             Spectrum<Real> const& spectrum) const;

  /// Returns an upper bound on the memory of the tables in bytes, 0 if the axis is not supported;
  /// see Buffer::footprint. On the CPU a pass also uses the queue's scratch memory.
  static std::size_t footprint(Backend backend, AxisEnds ends, std::int64_t intervals);

 private:
  void run(Queue& queue, LinePass pass, FieldView<Real const> from, FieldView<Real> to,
           LocalBox const& box, int axis, Spectrum<Real> const& spectrum) const;

  std::vector<double> eigenvalues_;
  Buffer tables_;
  LineTransform<Real> transform_;
};

}  // namespace isotherm
