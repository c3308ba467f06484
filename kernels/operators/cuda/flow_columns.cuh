#pragma once

#include "kernels/core/cuda/columns.cuh"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/core/error.hpp"
#include "kernels/operators/axis_conductances.hpp"
#include "kernels/operators/conductances.hpp"
#include "kernels/operators/solved_conductances.hpp"

// Where conductances differ from point to point, most of what is read of memory is read by one
// thread alone, so that nothing is worth staging. A thread has a vector of points along x, which it
// takes up their columns: loads are of 16 bytes, so many of them are on their way that memory is
// kept busy, and what one plane, or row in 2D, hands on to the next is loaded once.

namespace isotherm::cuda {

/// Blocks of block_threads that a multiprocessor is to hold at least: as many as leave the
/// registers that are asked for.
template <class Operator, bool asks_for_volumes>
constexpr int flow_blocks = asks_for_volumes ? 2 : 3;
template <class Real, int dimension, bool asks_for_volumes>
constexpr int flow_blocks<AxisConductances<Real, dimension>, asks_for_volumes> =
    dimension == 3 && sizeof(Real) == 8 ? 3 : 4;

/// Whether u is loaded a plane before it is asked for: where there is little else to wait for.
template <class Operator>
constexpr bool looks_ahead = false;
template <class Real, int dimension>
constexpr bool looks_ahead<AxisConductances<Real, dimension>> = true;

/// Asks for the memory around a place to be in the second-level cache soon.
__device__ __forceinline__ void prefetch_to_l2(void const* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/// Neighbouring values along x.
template <class T, int count>
struct alignas(sizeof(T) * count) Few {
  T v[count];

  static __device__ __forceinline__ Few at(T const* first) {
    return *reinterpret_cast<Few const*>(first);
  }
  /// Writes those that belong to points lower <= i < upper, where the first is i's.
  __device__ __forceinline__ void store(T* first, std::int64_t i, std::int64_t lower,
                                        std::int64_t upper) const {
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

/// How far it is from one plane, or row in 2D, of a column to the next.
template <int dimension, class T>
__device__ __forceinline__ std::int64_t up_in(FieldView<T> const& field) {
  return dimension == 3 ? field.stride_z : field.stride_y;
}

/// u at some points side by side, and around them, as their column is gone up: along z, or in 2D
/// along y.
/// @tparam ahead  a plane is loaded before it is entered
template <class Real, int dimension, bool ahead, int width = Vector<Real>::width>
class ValueColumn {
 public:
  using Values = Few<Real, width>;

  __device__ __forceinline__ ValueColumn(FieldView<Real const> const& u, Index3 first)
      : up_(up_in<dimension>(u)), here_(&u(first.x, first.y, first.z)) {
    centre_ = Values::at(here_);
    last_ = Values::at(here_ - up_);
    if constexpr (ahead) next_ = Values::at(here_ + up_);
  }

  /// Loads what belongs to the next plane, or row. `is_last` says that none follows it.
  __device__ __forceinline__ void enter(FieldView<Real const> const& u, bool is_last) {
    before_ = here_[-1];
    behind_ = here_[width];
    if constexpr (ahead) {
      if (!is_last) after_next_ = Values::at(here_ + 2 * up_);
    } else {
      next_ = Values::at(here_ + up_);
    }
    if constexpr (in_3d) {
      south_ = Values::at(here_ - u.stride_y);
      north_ = Values::at(here_ + u.stride_y);
    }
  }
  /// On to the one after it.
  __device__ __forceinline__ void leave() {
    last_ = centre_;
    centre_ = next_;
    if constexpr (ahead) next_ = after_next_;
    here_ += up_;
  }

  /// Asks for the plane that is loaded with the plane after the next one.
  __device__ __forceinline__ void prefetch() const { prefetch_to_l2(here_ + 3 * up_); }

  /// At the nth point, or beside it.
  [[nodiscard]] __device__ __forceinline__ Real value(int n, int di, int dj, int dk) const {
    int const up = in_3d ? dk : dj;
    if (up != 0) return up < 0 ? last_.v[n] : next_.v[n];
    if (in_3d && dj != 0) return dj < 0 ? south_.v[n] : north_.v[n];
    // The indices are in range in the branches that are not taken too.
    if (di < 0) return n == 0 ? before_ : centre_.v[n == 0 ? 0 : n - 1];
    if (di > 0) return n == width - 1 ? behind_ : centre_.v[n == width - 1 ? n : n + 1];
    return centre_.v[n];
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  std::int64_t up_;
  Real const* here_;
  Values last_{}, centre_{}, next_{};  ///< in the last plane, this one, the next
  Values after_next_{};                ///< where planes are loaded ahead
  Values south_{}, north_{};
  Real before_ = 0, behind_ = 0;  ///< before the first of the points and behind the last
};

/// What an operator says of some points side by side as their column is gone up.
template <class Operator, int width = Vector<typename Operator::Real>::width>
class OperatorColumn;

/// Conductances in fields.
template <class Real, int dimension, int width>
class OperatorColumn<Conductances<Real, dimension>, width> {
 public:
  using Operator = Conductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& of, Index3 first)
      : x_(&of.x(first.x, first.y, first.z)),
        up_(&along(of)(first.x, first.y, first.z)),
        per_width_(Values::at(of.per_width_x + first.x)) {
    if constexpr (in_3d) y_ = &of.y(first.x, first.y, first.z);
    if (of.per_capacity) per_capacity_ = &of.per_capacity(first.x, first.y, first.z);
    if (of.absorption) absorption_ = &of.absorption(first.x, first.y, first.z);
    below_ = Values::at(up_ - up_in<dimension>(along(of)));
  }

  /// Loads what belongs to the plane, or row, of points `at`.
  __device__ __forceinline__ void enter(Operator const& of, Index3 at) {
    east_ = Values::at(x_);
    west_of_all_ = x_[-1];
    above_ = Values::at(up_);
    per_area_ = of.per_width_y[at.y];
    if constexpr (in_3d) {
      y_next_ = Values::at(y_);
      y_last_ = Values::at(y_ - of.y.stride_y);
      per_area_ *= of.per_width_z[at.z];
    }
    if (per_capacity_ != nullptr) capacity_ = Values::at(per_capacity_);
    if (absorption_ != nullptr) absorbed_ = Values::at(absorption_);
  }
  /// On to the next one.
  __device__ __forceinline__ void leave(Operator const& of) {
    below_ = above_;
    x_ += up_in<dimension>(of.x);
    up_ += up_in<dimension>(along(of));
    if constexpr (in_3d) y_ += of.y.stride_z;
    if (per_capacity_ != nullptr) per_capacity_ += up_in<dimension>(of.per_capacity);
    if (absorption_ != nullptr) absorption_ += up_in<dimension>(of.absorption);
  }

  /// Of the nth point.
  [[nodiscard]] __device__ __forceinline__ PointConductances<Real, dimension> point(int n) const {
    PointConductances<Real, dimension> point{
        std::abs(n == 0 ? west_of_all_ : east_.v[n == 0 ? 0 : n - 1]),
        std::abs(east_.v[n]),
        in_3d ? y_last_.v[n] : below_.v[n],
        in_3d ? y_next_.v[n] : above_.v[n],
        in_3d ? below_.v[n] : Real{0},
        in_3d ? above_.v[n] : Real{0},
        std::signbit(east_.v[n]),
        per_width_.v[n] * per_area_};
    if (per_capacity_ != nullptr) point.per_volume *= capacity_.v[n];
    if (absorption_ != nullptr) point.absorption = absorbed_.v[n];
    return point;
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  /// The conductances along the column.
  __device__ __forceinline__ static FieldView<Real const> const& along(Operator const& of) {
    return in_3d ? of.z : of.y;
  }

  Real const* x_;
  Real const* y_ = nullptr;
  Real const* up_;
  Real const* per_capacity_ = nullptr;
  Real const* absorption_ = nullptr;
  Values per_width_;
  Values east_{}, y_last_{}, y_next_{}, below_{}, above_{};  ///< conductances
  Real west_of_all_ = 0;
  Real per_area_ = 1;
  Values capacity_{}, absorbed_{};
};

/// Those that a relaxation was solved for.
template <class Real, int dimension, int width>
class OperatorColumn<SolvedConductances<Real, dimension>, width> {
 public:
  using Operator = SolvedConductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& of, Index3 first)
      : x_(&of.x(first.x, first.y, first.z)),
        up_(&along(of)(first.x, first.y, first.z)),
        total_(&of.per_total(first.x, first.y, first.z)) {
    if constexpr (in_3d) y_ = &of.y(first.x, first.y, first.z);
    below_ = Values::at(up_ - up_in<dimension>(along(of)));
  }

  __device__ __forceinline__ void enter(Operator const& of, Index3 /*at*/) {
    east_ = Values::at(x_);
    west_of_all_ = x_[-1];
    above_ = Values::at(up_);
    per_total_ = Values::at(total_);
    if constexpr (in_3d) {
      y_next_ = Values::at(y_);
      y_last_ = Values::at(y_ - of.y.stride_y);
    }
  }
  __device__ __forceinline__ void leave(Operator const& of) {
    below_ = above_;
    x_ += up_in<dimension>(of.x);
    up_ += up_in<dimension>(along(of));
    total_ += up_in<dimension>(of.per_total);
    if constexpr (in_3d) y_ += of.y.stride_z;
  }

  /// Asks for what belongs to the plane after the next one.
  __device__ __forceinline__ void prefetch(Operator const& of) const {
    prefetch_to_l2(x_ + 2 * of.x.stride_z);
    prefetch_to_l2(up_ + 2 * of.z.stride_z);
    prefetch_to_l2(total_ + 2 * of.per_total.stride_z);
    prefetch_to_l2(y_ + 2 * of.y.stride_z);
  }

  [[nodiscard]] __device__ __forceinline__ typename Operator::Point point(int n) const {
    return {n == 0 ? west_of_all_ : east_.v[n == 0 ? 0 : n - 1],
            east_.v[n],
            in_3d ? y_last_.v[n] : below_.v[n],
            in_3d ? y_next_.v[n] : above_.v[n],
            in_3d ? below_.v[n] : Real{0},
            in_3d ? above_.v[n] : Real{0},
            per_total_.v[n]};
  }

 private:
  static constexpr bool in_3d = dimension == 3;

  /// The conductances along the column.
  __device__ __forceinline__ static FieldView<Real const> const& along(Operator const& of) {
    return in_3d ? of.z : of.y;
  }

  Real const* x_;
  Real const* y_ = nullptr;
  Real const* up_;
  Real const* total_;
  Values east_{}, y_last_{}, y_next_{}, below_{}, above_{};  ///< conductances
  Real west_of_all_ = 0;
  Values per_total_{};
};

/// Those that are products of numbers along the axes: what the rows along x have of the points
/// stays the same up the column.
template <class Real, int dimension, int width>
class OperatorColumn<AxisConductances<Real, dimension>, width> {
 public:
  using Operator = AxisConductances<Real, dimension>;
  using Values = Few<Real, width>;

  __device__ __forceinline__ OperatorColumn(Operator const& of, Index3 first)
      : row_(of.row(first.y, first.z)),
        per_width_y_(of.per_width.y[first.y]),
        before_(of.per_gap.x[first.x - 1]),
        per_gap_(Values::at(of.per_gap.x + first.x)),
        width_(Values::at(of.width.x + first.x)),
        per_width_(Values::at(of.per_width.x + first.x)) {
    if constexpr (dimension == 3) row_.z_next = row_.z_last;
  }

  /// In 3D only what lies along z is another one than before.
  __device__ __forceinline__ void enter(Operator const& of, Index3 at) {
    if constexpr (dimension == 3) {
      row_.z_last = row_.z_next;
      row_.z_next = of.per_gap.z[at.z];
      row_.z_width = of.width.z[at.z];
      row_.per_area = per_width_y_ * of.per_width.z[at.z];
    } else {
      row_ = of.row(at.y, at.z);
    }
  }
  __device__ __forceinline__ void leave(Operator const& /*of*/) {}

  [[nodiscard]] __device__ __forceinline__ PointConductances<Real, dimension> point(int n) const {
    return row_.point_of(n == 0 ? before_ : per_gap_.v[n == 0 ? 0 : n - 1], per_gap_.v[n],
                         width_.v[n], per_width_.v[n]);
  }

 private:
  typename Operator::Row row_;
  Real per_width_y_;
  Real before_;
  Values per_gap_, width_, per_width_;
};

/// A box whose columns are gone up, as for_my_columns() has them along z: y and z change places in
/// 2D.
template <int dimension>
__host__ __device__ inline LocalBox column_box(LocalBox const& box) {
  if constexpr (dimension == 3) return box;
  return {{box.lower.x, box.lower.z, box.lower.y}, {box.upper.x, box.upper.z, box.upper.y}};
}

/// out(p) = value(i, j, k, conductances, at, source) for this thread's points of `box`, where
/// at(di, dj, dk) is u around the point. `source` and `out` may be none: that is 0 then, and the
/// value left out.
template <class Operator, class Real, class To, class Value>
__device__ __forceinline__ void for_my_flows(Operator const& of, FieldView<Real const> const& u,
                                             FieldView<Real const> const& source,
                                             FieldView<To> const& out, LocalBox const& box,
                                             Value const& value) {
  constexpr int dimension = Operator::dimension;
  constexpr int width = Vector<Real>::width;
  for_my_columns<width>(column_box<dimension>(box), [&](std::int64_t i, std::int64_t across,
                                                        std::int64_t up, std::int64_t end) {
    auto const place = [&] {
      return dimension == 3 ? Index3{i, across, up} : Index3{i, up, across};
    };
    // Of the vector's points these lie in the box.
    auto const first = static_cast<int>(max(box.lower.x - i, std::int64_t{0}));
    auto const past = static_cast<int>(min(box.upper.x - i, std::int64_t{width}));
    OperatorColumn<Operator> conductances(of, place());
    ValueColumn<Real, dimension, looks_ahead<Operator>> values_of_u(u, place());
#pragma unroll 1
    for (; up < end; ++up, conductances.leave(of), values_of_u.leave()) {
      auto const [_, j, k] = place();
      conductances.enter(of, {i, j, k});
      values_of_u.enter(u, up + 1 == end);
      Few<Real, width> flow_in{};
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

/// How for_my_flows() is launched.
template <class Real, int dimension>
Launch flow_launch(LocalBox const& box) {
  LocalBox const columns = column_box<dimension>(box);
  bool const one_row = columns.upper.y - columns.lower.y == 1;
  return launch_over(columns, one_row ? dim3(block_threads) : dim3(32, block_threads / 32),
                     Vector<Real>::width);
}

/// Whether the vectors of points that are read of fields begin at multiples of their size.
template <class... Real>
bool lie_by_vectors(FieldView<Real> const&... fields) {
  return ((!fields || vectors_are_aligned(fields)) && ...);
}
template <class Real, int dimension>
bool operator_lies_by_vectors(Conductances<Real, dimension> const& of) {
  return lie_by_vectors(of.x, of.y, of.z, of.per_capacity, of.absorption);
}
template <class Real, int dimension>
bool operator_lies_by_vectors(SolvedConductances<Real, dimension> const& of) {
  return lie_by_vectors(of.x, of.y, of.z, of.per_total);
}
/// Rows along x are aligned where fields are.
template <class Real, int dimension>
bool operator_lies_by_vectors(AxisConductances<Real, dimension> const& /*of*/) {
  return true;
}
/// @throws Error  where one would not
template <class Operator, class Real>
void require_vectors(Operator const& of, FieldView<Real const> const& u,
                     FieldView<Real const> const& source) {
  require(operator_lies_by_vectors(of) && lie_by_vectors(u, source),
          "conductances and what flows by them are read by vectors, but do not lie so");
}

}  // namespace isotherm::cuda
