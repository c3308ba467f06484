#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/transforms/spectrum.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_rows.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_tables.hpp"

namespace isotherm {

/// Solves tridiagonal systems along the lines of a box, in one pass over memory. It takes the place
/// of the transforms along one axis of a separable problem: any number of points, any gaps, and
/// coefficients that vary along this axis. The axis must not be periodic.
///
/// Points are eliminated as in the reduction of a network of conductances. All terms are positive,
/// so nothing cancels and the pivots are accurate to a few roundings even if the line is almost
/// singular (cf. the GTH algorithm: W. Grassmann, M. Taksar and D. Heyman, Oper. Res. 33, 1985). On
/// CUDA each line is cut into parts whose ends form a smaller system (H. Wang, ACM TOMS 7, 1981).
/// Results do not depend on the number of threads.
///
///   TridiagonalRows rows{{2, 2}, {0, 0, 2}, {0.5, 1, 1}};    // 3 points, the last gap grounded
///   TridiagonalSolve<double> const z(queue, rows);
///   z.solve(queue, modes, modes, box, 2, spectrum);          // box.extent().z == z.count() == 3
template <class Real>
class TridiagonalSolve {
 public:
  /// Copies the rows to the memory of the queue's backend.
  /// @throws Error  if there is no point or more than max_tridiagonal_points, the sizes of the
  /// arrays differ, a conductance is not
  ///   positive, another number is negative or not finite, or there is not enough memory
  TridiagonalSolve(Queue& queue, TridiagonalRows const& rows);

  /// Returns the number of points of a line.
  [[nodiscard]] int count() const { return tables_.count; }
  /// Returns zeros: there are no modes along this axis.
  [[nodiscard]] std::vector<double> eigenvalues() const {
    return std::vector<double>(static_cast<std::size_t>(count()), 0.0);
  }
  /// Returns true: source and result may be the same view.
  [[nodiscard]] static constexpr bool works_in_place() { return true; }
  /// Returns the allocated bytes.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// Returns the name of this kind of solution.
  static constexpr char const* name() { return "tridiagonal"; }

  /// Enqueues solving the lines of `box` along `axis` (0: x, 1: y, 2: z). The other axes have been
  /// transformed to modes; μ of a line is the sum of their eigenvalues and spectrum.shift. The
  /// eigenvalues of `axis` are not read. If spectrum.drop_constant is set, a line with μ = 0 whose
  /// c is 0 is solved for the right-hand side minus its mean; its last value is 0.
  ///
  /// Nothing outside of `box` is written. `from` and `to` are the same view or do not overlap.
  /// @throws Error  if the lines do not have count() points, or `box` extends beyond a field
  void solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
             Spectrum<Real> const& spectrum) const;

  /// Does the same for the first and the last value of each line. The values between them are
  /// undefined, so that they need not be written.
  void solve_ends(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                  int axis, Spectrum<Real> const& spectrum) const;

  /// Returns an upper bound on the memory of `count` points in bytes, including that of passes on
  /// devices; see Buffer::footprint. On the CPU a pass also uses the queue's scratch memory.
  static std::size_t footprint(Backend backend, std::int64_t count);

 private:
  void run(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
           Spectrum<Real> const& spectrum, bool ends_only) const;

  Buffer memory_;
  TridiagonalTables<Real> tables_;
};

}  // namespace isotherm
