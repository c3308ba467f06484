#pragma once

#include "kernels/core/cuda/columns.cuh"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/core/error.hpp"
#include "kernels/operators/conductances.hpp"
#include "kernels/operators/separable_conductances.hpp"
#include "kernels/operators/smoothing_conductances.hpp"

// Traversal of points for variable-coefficient operators on CUDA.
//
// Most of the data (conductances, capacities) is read by one thread only, so staging in shared
// memory does not pay. A thread owns a vector of points along x and marches up their columns. It
// loads 16 bytes at a time. Many loads are in flight, which saturates the memory bandwidth. Values
// that successive planes (in 2D: rows) share are loaded once.

namespace isotherm::cuda {

/// Minimum number of blocks of block_threads per multiprocessor: as many as leave each thread
/// enough registers.
template <class Operator, bool needs_volumes>
constexpr int operator_blocks = needs_volumes ? 2 : 3;
/// Separable coefficients need fewer registers.
template <class Real, int dimension, bool needs_volumes>
constexpr int operator_blocks<SeparableConductances<Real, dimension>, needs_volumes> =
    dimension == 3 && sizeof(Real) == 8 ? 3 : 4;

/// True if u is loaded one plane ahead. This pays if there is little other data to wait for.
template <class Operator>
constexpr bool looks_ahead = false;
/// Separable coefficients are read from a few rows, so u is almost all of the data.
template <class Real, int dimension>
constexpr bool looks_ahead<SeparableConductances<Real, dimension>> = true;

/// Prefetches the memory at an address to the second-level cache.
__device__ __forceinline__ void prefetch_to_l2(void const* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/// Values of adjacent points along x.
template <class T, int count>
struct alignas(sizeof(T) * count) Few {
  T v[count];

  /// Loads values by one instruction.
  /// @pre `first` is aligned to the size of the values.
  static __device__ __forceinline__ Few at(T const* first) {
    return *reinterpret_cast<Few const*>(first);
  }
  /// Stores the values of points lower <= i < upper; the first value belongs to point i.
  __device__ __forceinline__ void store(T* first, std::int64_t i, std::int64_t lower,
                                        std::int64_t upper) const {
    // The output may have another precision or layout, so its alignment is checked here.
    bool const aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(Few) == 0;
    if (aligned && i >= lower && i + count <= upper) {
      *reinterpret_cast<Few*>(first) = *this;
      return;
    }
    for (int n = 0; n < count; ++n) {
      if (i + n >= lower && i + n < upper) first[n] = v[n];
    }
  }
};

/// Returns the stride from a plane (in 2D: row) of a column to the next one.
template <int dimension, class T>
__device__ __forceinline__ std::int64_t up_in(FieldView<T> const& field) {
  return dimension == 3 ? field.stride_z : field.stride_y;
}

/// Values of u at and around some adjacent points, while a thread marches up their column: along z,
/// or along y in 2D. All values are held in registers.
///
///   ValueColumn<Real, 3, false> column(u, first);
///   for (; k < end; ++k, column.leave()) {
///     column.enter(u, k + 1 == end);
///     Real const east = column.value(n, 1, 0, 0);
///   }
///
/// @tparam ahead  planes are loaded one plane ahead
/// @tparam width  number of points
template <class Real, int dimension, bool ahead, int width = Vector<Real>::width>
class ValueColumn {
 public:
  using Values = Few<Real, width>;

  __device__ __forceinline__ ValueColumn(FieldView<Real const> const& u, Index3 first)
      : up_(up_in<dimension>(u)), here_(&u(first.x, first.y, first.z)) {
    // With two planes loaded in advance, each enter() loads only one.
    centre_ = Values::at(here_);
    last_ = Values::at(here_ - up_);
    if constexpr (ahead) next_ = Values::at(here_ + up_);
  }

  /// Enters the next plane (in 2D: row) and loads its values.
  /// @param is_last  no plane follows
  __device__ __forceinline__ void enter(FieldView<Real const> const& u, bool is_last) {
    // Points beyond the vector's ends: single loads, which hit the caches.
    before_ = here_[-1];
    behind_ = here_[width];
    if constexpr (ahead) {
      // Beyond the last plane there may be no memory.
      if (!is_last) after_next_ = Values::at(here_ + 2 * up_);
    } else {
      next_ = Values::at(here_ + up_);
    }
    if constexpr (in_3d) {
      south_ = Values::at(here_ - u.stride_y);
      north_ = Values::at(here_ + u.stride_y);
    }
  }
  /// Leaves the plane: the values move down by one plane.
  __device__ __forceinline__ void leave() {
    last_ = centre_;
    centre_ = next_;
    if constexpr (ahead) next_ = after_next_;
    here_ += up_;
  }

  /// Prefetches the plane that will be loaded when the plane after the next one is entered.
  __device__ __forceinline__ void prefetch() const { prefetch_to_l2(here_ + 3 * up_); }

  /// Returns the value at the nth point or at one of its neighbours.
  [[nodiscard]] __device__ __forceinline__ Real value(int n, int di, int dj, int dk) const {
    // The offset along the column.
    int const up = in_3d ? dk : dj;
    if (up != 0) return up < 0 ? last_.v[n] : next_.v[n];
    if (in_3d && dj != 0) return dj < 0 ? south_.v[n] : north_.v[n];
    // The compiler also checks the branches that are not taken, so their indices must be in range.
    if (di < 0) return n == 0 ? before_ : centre_.v[n == 0 ? 0 : n - 1];
    if (di > 0) return n == width - 1 ? behind_ : centre_.v[n == width - 1 ? n : n + 1];
    return centre_.v[n];
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  std::int64_t up_;
  Real const* here_;
  Values last_{}, centre_{}, next_{};  ///< of the previous, this and the next plane
  Values after_next_{};                ///< used if planes are loaded ahead
  Values south_{}, north_{};
  Real before_ = 0, behind_ = 0;  ///< neighbours before the first and after the last point
};

/// The operator at some adjacent points, while a thread marches up their column.
///
/// Each specialisation holds the data of the current plane in registers. enter(op, at) loads them,
/// point(n) returns the operator at the nth point, leave(op) proceeds to the next plane.
template <class Operator, int width = Vector<typename Operator::Real>::width>
class OperatorColumn;

/// The specialisation for conductances that are stored in fields. The conductances between two
/// planes are loaded once for both.
template <class Real, int dimension, int width>
class OperatorColumn<Conductances<Real, dimension>, width> {
 public:
  using Operator = Conductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& op, Index3 first)
      : x_(&op.x(first.x, first.y, first.z)),
        up_(&along(op)(first.x, first.y, first.z)),
        inverse_width_(Values::at(op.inverse_width_x + first.x)) {
    if constexpr (in_3d) y_ = &op.y(first.x, first.y, first.z);
    if (op.inverse_capacity) inverse_capacity_ = &op.inverse_capacity(first.x, first.y, first.z);
    if (op.reaction) reaction_ = &op.reaction(first.x, first.y, first.z);
    // The conductance below a plane is that above the previous one, loaded once.
    below_ = Values::at(up_ - up_in<dimension>(along(op)));
  }

  /// Loads the data of the plane (in 2D: row) that contains the points at `at`.
  __device__ __forceinline__ void enter(Operator const& op, Index3 at) {
    east_ = Values::at(x_);
    west_of_all_ = x_[-1];
    above_ = Values::at(up_);
    // 1 / V = inverse_width_x · inverse_area.
    inverse_area_ = op.inverse_width_y[at.y];
    if constexpr (in_3d) {
      y_next_ = Values::at(y_);
      y_last_ = Values::at(y_ - op.y.stride_y);
      inverse_area_ *= op.inverse_width_z[at.z];
    }
    if (inverse_capacity_ != nullptr) capacity_ = Values::at(inverse_capacity_);
    if (reaction_ != nullptr) reaction_terms_ = Values::at(reaction_);
  }
  /// Leaves the plane.
  __device__ __forceinline__ void leave(Operator const& op) {
    below_ = above_;
    x_ += up_in<dimension>(op.x);
    up_ += up_in<dimension>(along(op));
    if constexpr (in_3d) y_ += op.y.stride_z;
    if (inverse_capacity_ != nullptr) inverse_capacity_ += up_in<dimension>(op.inverse_capacity);
    if (reaction_ != nullptr) reaction_ += up_in<dimension>(op.reaction);
  }

  /// Returns the operator at the nth point.
  [[nodiscard]] __device__ __forceinline__ PointConductances<Real, dimension> point(int n) const {
    PointConductances<Real, dimension> point{
        // The sign marks fixed points; the conductance is the absolute value.
        std::abs(n == 0 ? west_of_all_ : east_.v[n == 0 ? 0 : n - 1]),
        std::abs(east_.v[n]),
        in_3d ? y_last_.v[n] : below_.v[n],
        in_3d ? y_next_.v[n] : above_.v[n],
        in_3d ? below_.v[n] : Real{0},
        in_3d ? above_.v[n] : Real{0},
        std::signbit(east_.v[n]),
        inverse_width_.v[n] * inverse_area_};
    if (inverse_capacity_ != nullptr) point.inverse_heat_capacity *= capacity_.v[n];
    if (reaction_ != nullptr) point.reaction = reaction_terms_.v[n];
    return point;
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  /// The conductances along the column.
  __device__ __forceinline__ static FieldView<Real const> const& along(Operator const& op) {
    return in_3d ? op.z : op.y;
  }

  Real const* x_;
  Real const* y_ = nullptr;
  Real const* up_;
  Real const* inverse_capacity_ = nullptr;
  Real const* reaction_ = nullptr;
  Values inverse_width_;
  Values east_{}, y_last_{}, y_next_{}, below_{}, above_{};  ///< conductances
  Real west_of_all_ = 0;
  Real inverse_area_ = 1;
  Values capacity_{}, reaction_terms_{};
};

/// The specialisation for conductances with the inverse diagonal.
template <class Real, int dimension, int width>
class OperatorColumn<SmoothingConductances<Real, dimension>, width> {
 public:
  using Operator = SmoothingConductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& op, Index3 first)
      : x_(&op.x(first.x, first.y, first.z)),
        up_(&along(op)(first.x, first.y, first.z)),
        inverse_diagonal_at_(&op.inverse_diagonal(first.x, first.y, first.z)) {
    if constexpr (in_3d) y_ = &op.y(first.x, first.y, first.z);
    below_ = Values::at(up_ - up_in<dimension>(along(op)));
  }

  __device__ __forceinline__ void enter(Operator const& op, Index3 /*at*/) {
    east_ = Values::at(x_);
    west_of_all_ = x_[-1];
    above_ = Values::at(up_);
    inverse_diagonal_ = Values::at(inverse_diagonal_at_);
    if constexpr (in_3d) {
      y_next_ = Values::at(y_);
      y_last_ = Values::at(y_ - op.y.stride_y);
    }
  }
  __device__ __forceinline__ void leave(Operator const& op) {
    below_ = above_;
    x_ += up_in<dimension>(op.x);
    up_ += up_in<dimension>(along(op));
    inverse_diagonal_at_ += up_in<dimension>(op.inverse_diagonal);
    if constexpr (in_3d) y_ += op.y.stride_z;
  }

  /// Prefetches the data of the plane after the next one.
  __device__ __forceinline__ void prefetch(Operator const& op) const {
    prefetch_to_l2(x_ + 2 * op.x.stride_z);
    prefetch_to_l2(up_ + 2 * op.z.stride_z);
    prefetch_to_l2(inverse_diagonal_at_ + 2 * op.inverse_diagonal.stride_z);
    prefetch_to_l2(y_ + 2 * op.y.stride_z);
  }

  [[nodiscard]] __device__ __forceinline__ typename Operator::Point point(int n) const {
    return {n == 0 ? west_of_all_ : east_.v[n == 0 ? 0 : n - 1],
            east_.v[n],
            in_3d ? y_last_.v[n] : below_.v[n],
            in_3d ? y_next_.v[n] : above_.v[n],
            in_3d ? below_.v[n] : Real{0},
            in_3d ? above_.v[n] : Real{0},
            inverse_diagonal_.v[n]};
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  /// The conductances along the column.
  __device__ __forceinline__ static FieldView<Real const> const& along(Operator const& op) {
    return in_3d ? op.z : op.y;
  }

  Real const* x_;
  Real const* y_ = nullptr;
  Real const* up_;
  /// Address of the inverse diagonal.
  Real const* inverse_diagonal_at_;
  Values east_{}, y_last_{}, y_next_{}, below_{}, above_{};  ///< conductances
  Real west_of_all_ = 0;
  Values inverse_diagonal_{};
};

/// The specialisation for separable coefficients. The factors along x of the thread's points are
/// the same in all planes.
template <class Real, int dimension, int width>
class OperatorColumn<SeparableConductances<Real, dimension>, width> {
 public:
  using Operator = SeparableConductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& op, Index3 first)
      : row_(op.row(first.y, first.z)),
        inverse_width_y_(op.inverse_width.y[first.y]),
        before_(op.inverse_gap.x[first.x - 1]),
        inverse_gap_(Values::at(op.inverse_gap.x + first.x)),
        width_(Values::at(op.width.x + first.x)),
        inverse_width_(Values::at(op.inverse_width.x + first.x)) {
    // enter() begins by moving z_next to z_last.
    if constexpr (dimension == 3) row_.z_next = row_.z_last;
  }

  /// Loads the factors of the plane. In 3D only those along z change.
  __device__ __forceinline__ void enter(Operator const& op, Index3 at) {
    if constexpr (dimension == 3) {
      row_.z_last = row_.z_next;
      row_.z_next = op.inverse_gap.z[at.z];
      row_.z_width = op.width.z[at.z];
      row_.inverse_area = inverse_width_y_ * op.inverse_width.z[at.z];
    } else {
      row_ = op.row(at.y, at.z);
    }
  }
  __device__ __forceinline__ void leave(Operator const& /*of*/) {}

  [[nodiscard]] __device__ __forceinline__ PointConductances<Real, dimension> point(int n) const {
    return row_.point_of(n == 0 ? before_ : inverse_gap_.v[n == 0 ? 0 : n - 1], inverse_gap_.v[n],
                         width_.v[n], inverse_width_.v[n]);
  }

 private:
  typename Operator::Row row_;
  Real inverse_width_y_;
  Real before_;
  Values inverse_gap_, width_, inverse_width_;
};

/// Returns the box with its columns along z, as for_my_columns() expects: y and z are exchanged in
/// 2D.
template <int dimension>
__host__ __device__ inline LocalBox column_box(LocalBox const& box) {
  if constexpr (dimension == 3) return box;
  return {{box.lower.x, box.lower.z, box.lower.y}, {box.upper.x, box.upper.z, box.upper.y}};
}

/// Computes out(p) = value(i, j, k, conductances, at, source) for the calling thread's points of
/// `box`. at(di, dj, dk) returns u around the point.
///
/// A thread computes a vector of points per plane. It holds u and the operator of the plane in
/// registers, and nothing in shared memory.
///
/// `source` may be none; then it is 0. `out` may be none; then the values are discarded.
/// @pre require_vectors() has succeeded, and the kernel was launched by operator_launch().
template <class Operator, class Real, class To, class Value>
__device__ __forceinline__ void for_my_operator_columns(Operator const& op,
                                                        FieldView<Real const> const& u,
                                                        FieldView<Real const> const& source,
                                                        FieldView<To> const& out,
                                                        LocalBox const& box, Value const& value) {
  constexpr int dimension = Operator::dimension;
  constexpr int width = Vector<Real>::width;
  for_my_columns<width>(column_box<dimension>(box), [&](std::int64_t i, std::int64_t across,
                                                        std::int64_t up, std::int64_t end) {
    // The current point in the grid's own order of axes.
    auto const place = [&] {
      return dimension == 3 ? Index3{i, across, up} : Index3{i, up, across};
    };
    // The range of the vector's points that lie in the box.
    auto const first = static_cast<int>(max(box.lower.x - i, std::int64_t{0}));
    auto const past = static_cast<int>(min(box.upper.x - i, std::int64_t{width}));
    OperatorColumn<Operator> conductances(op, place());
    ValueColumn<Real, dimension, looks_ahead<Operator>> values_of_u(u, place());
#pragma unroll 1
    for (; up < end; ++up, conductances.leave(op), values_of_u.leave()) {
      auto const [_, j, k] = place();
      conductances.enter(op, {i, j, k});
      values_of_u.enter(u, up + 1 == end);
      Few<Real, width> flow_in{};
      // Uniform branch: a pass has a source or not.
      if (source) flow_in = Few<Real, width>::at(&source(i, j, k));
      Few<To, width> values{};
#pragma unroll
      for (int n = 0; n < width; ++n) {
        if (n < first || n >= past) continue;
        auto const at = [&](int di, int dj, int dk) { return values_of_u.value(n, di, dj, dk); };
        values.v[n] = value(i + n, j, k, conductances.point(n), at, flow_in.v[n]);
      }
      if (out) values.store(&out(i, j, k), i, box.lower.x, box.upper.x);
    }
  });
}

/// Returns the launch configuration for kernels that call for_my_operator_columns().
template <class Real, int dimension>
Launch operator_launch(LocalBox const& box) {
  // 32 lanes along x and 8 columns across, or a single row of 256.
  LocalBox const columns = column_box<dimension>(box);
  bool const one_row = columns.upper.y - columns.lower.y == 1;
  return launch_over(columns, one_row ? dim3(block_threads) : dim3(32, block_threads / 32),
                     Vector<Real>::width);
}

/// Returns true if vectors of points can be loaded from all of the fields.
template <class... Real>
bool are_aligned(FieldView<Real> const&... fields) {
  return ((!fields || vectors_are_aligned(fields)) && ...);
}
/// Returns true if vectors of the operator's values can be loaded.
template <class Real, int dimension>
bool has_aligned_vectors(Conductances<Real, dimension> const& conductances) {
  return are_aligned(conductances.x, conductances.y, conductances.z, conductances.inverse_capacity,
                     conductances.reaction);
}
template <class Real, int dimension>
bool has_aligned_vectors(SmoothingConductances<Real, dimension> const& conductances) {
  return are_aligned(conductances.x, conductances.y, conductances.z, conductances.inverse_diagonal);
}
/// Rows along x are always aligned like those of fields.
template <class Real, int dimension>
bool has_aligned_vectors(SeparableConductances<Real, dimension> const& /*of*/) {
  return true;
}
/// Checks that vectors of points can be loaded from all fields of a pass.
/// @throws Error  if one of the fields is not aligned to vectors
template <class Operator, class Real>
void require_vectors(Operator const& op, FieldView<Real const> const& u,
                     FieldView<Real const> const& source) {
  require(has_aligned_vectors(op) && are_aligned(u, source),
          "the operator, u and the source must be aligned to 16-byte vectors");
}

}  // namespace isotherm::cuda
