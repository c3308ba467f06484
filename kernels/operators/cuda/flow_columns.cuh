#pragma once

#include "kernels/core/cuda/columns.cuh"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/core/error.hpp"
#include "kernels/operators/conductances.hpp"

// Where conductances differ from point to point, most of what is read of memory is read by one
// thread alone, so that nothing is worth staging. A thread has a vector of points along x, which it
// takes up their columns: loads are of 16 bytes, so many of them are on their way that memory is
// kept busy, and what one plane, or row in 2D, hands on to the next is loaded once.

namespace isotherm::cuda {

/// Blocks of block_threads that a multiprocessor is to hold at least: as many as leave the
/// registers that are asked for.
template <bool asks_for_volumes>
constexpr int flow_blocks = asks_for_volumes ? 2 : 3;

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

/// The conductances of a vector of points, and u around them, as their column is gone up: along z,
/// or in 2D along y.
template <class Real, int dimension>
class FlowColumn {
 public:
  static constexpr int width = Vector<Real>::width;
  using Values = Few<Real, width>;

  __device__ __forceinline__ FlowColumn(Conductances<Real, dimension> const& of,
                                        FieldView<Real const> const& u, Index3 first)
      : along_(in_3d ? of.z : of.y),
        u_stride_(in_3d ? u.stride_z : u.stride_y),
        here_(&u(first.x, first.y, first.z)),
        x_(&of.x(first.x, first.y, first.z)),
        up_(&along_(first.x, first.y, first.z)),
        per_width_(Values::at(of.per_width_x + first.x)) {
    if constexpr (in_3d) y_ = &of.y(first.x, first.y, first.z);
    if (of.per_capacity) per_capacity_ = &of.per_capacity(first.x, first.y, first.z);
    if (of.absorption) absorption_ = &of.absorption(first.x, first.y, first.z);
    centre_ = Values::at(here_);
    last_ = Values::at(here_ - u_stride_);
    below_ = Values::at(up_ - stride_of(along_));
  }

  /// Loads what belongs to the plane, or row, of points `at`.
  __device__ __forceinline__ void enter(Conductances<Real, dimension> const& of,
                                        FieldView<Real const> const& u, Index3 at) {
    east_ = Values::at(x_);
    west_of_all_ = x_[-1];
    before_ = here_[-1];
    behind_ = here_[width];
    next_ = Values::at(here_ + u_stride_);
    above_ = Values::at(up_);
    per_area_ = of.per_width_y[at.y];
    if constexpr (in_3d) {
      y_next_ = Values::at(y_);
      y_last_ = Values::at(y_ - of.y.stride_y);
      south_ = Values::at(here_ - u.stride_y);
      north_ = Values::at(here_ + u.stride_y);
      per_area_ *= of.per_width_z[at.z];
    }
    if (per_capacity_ != nullptr) capacity_ = Values::at(per_capacity_);
    if (absorption_ != nullptr) absorbed_ = Values::at(absorption_);
  }
  /// On to the next one.
  __device__ __forceinline__ void leave(Conductances<Real, dimension> const& of) {
    last_ = centre_;
    centre_ = next_;
    below_ = above_;
    here_ += u_stride_;
    x_ += stride_of(of.x);
    up_ += stride_of(along_);
    if constexpr (in_3d) y_ += of.y.stride_z;
    if (per_capacity_ != nullptr) per_capacity_ += stride_of(of.per_capacity);
    if (absorption_ != nullptr) absorption_ += stride_of(of.absorption);
  }

  /// Of the nth point.
  [[nodiscard]] __device__ __forceinline__ PointConductances<Real, dimension> point(int n) const {
    PointConductances<Real, dimension> point{std::abs(n == 0 ? west_of_all_ : east_.v[n - 1]),
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
  /// u at the nth point, or beside it.
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

  __device__ __forceinline__ static std::int64_t stride_of(FieldView<Real const> const& field) {
    return in_3d ? field.stride_z : field.stride_y;
  }

  FieldView<Real const> const& along_;  ///< the conductances along the column
  std::int64_t u_stride_;
  Real const* here_;
  Real const* x_;
  Real const* y_ = nullptr;
  Real const* up_;
  Real const* per_capacity_ = nullptr;
  Real const* absorption_ = nullptr;
  Values per_width_;
  Values last_{}, centre_{}, next_{};  ///< u: in the last plane, this one, the next
  Values south_{}, north_{};
  Real before_ = 0, behind_ = 0;  ///< u before the first of the points and behind the last
  Values east_{}, y_last_{}, y_next_{}, below_{}, above_{};  ///< conductances
  Real west_of_all_ = 0;
  Real per_area_ = 1;
  Values capacity_{}, absorbed_{};
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
template <class Real, int dimension, class To, class Value>
__device__ __forceinline__ void for_my_flows(Conductances<Real, dimension> const& of,
                                             FieldView<Real const> const& u,
                                             FieldView<Real const> const& source,
                                             FieldView<To> const& out, LocalBox const& box,
                                             Value const& value) {
  using Column = FlowColumn<Real, dimension>;
  constexpr int width = Column::width;
  for_my_columns<width>(column_box<dimension>(box), [&](std::int64_t i, std::int64_t across,
                                                        std::int64_t up, std::int64_t end) {
    auto const place = [&] {
      return dimension == 3 ? Index3{i, across, up} : Index3{i, up, across};
    };
    Column column(of, u, place());
#pragma unroll 1
    for (; up < end; ++up, column.leave(of)) {
      auto const [_, j, k] = place();
      column.enter(of, u, {i, j, k});
      typename Column::Values flow_in{};
      if (source) flow_in = Column::Values::at(&source(i, j, k));
      Few<To, width> values{};
#pragma unroll
      for (int n = 0; n < width; ++n) {
        if (i + n < box.lower.x || i + n >= box.upper.x) continue;
        auto const at = [&](int di, int dj, int dk) { return column.value(n, di, dj, dk); };
        values.v[n] = value(i + n, j, k, column.point(n), at, flow_in.v[n]);
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

/// @throws Error  where a vector of points would not begin at a multiple of its size
template <class Real, int dimension>
void require_vectors(Conductances<Real, dimension> const& of, FieldView<Real const> const& u,
                     FieldView<Real const> const& source) {
  auto const is_aligned = [](FieldView<Real const> const& field) {
    return !field || vectors_are_aligned(field);
  };
  require(is_aligned(of.x) && is_aligned(of.y) && is_aligned(of.z) && is_aligned(of.per_capacity) &&
              is_aligned(of.absorption) && is_aligned(u) && is_aligned(source),
          "conductances and what flows by them are read by vectors, but do not lie so");
}

}  // namespace isotherm::cuda
