#pragma once

#include "kernels/core/cuda/vector.cuh"
#include "kernels/transforms/fft/cuda/registers/forms.cuh"
#include "kernels/transforms/fft/cuda/registers/register_transform.hpp"

namespace isotherm::cuda {

/// Returns 1/d by two Newton steps, rounded almost correctly, without the branches of a division.
/// @pre d is a normal number whose inverse is one, too
__device__ __forceinline__ double fast_inverse(double d) {
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(d));
  double error = fma(-d, estimate, 1.0);
  error = fma(error, error, error);
  return fma(estimate, error, estimate);
}
__device__ __forceinline__ float fast_inverse(float d) { return __frcp_rn(d); }

/// Bundles of lines of a block if lines lie along y or z: rows of at least 128 bytes.
template <int N>
constexpr int column_bundles = N >= 256 ? 8 : 16;
/// Blocks of a multiprocessor such that each thread has 128 registers.
template <int N>
constexpr int column_blocks = 512 / (column_bundles<N> * RegisterShape<N>::threads);

/// The columns of a thread: adjacent lines, whose values one instruction loads or stores.
template <class Real>
class ColumnBundle {
 public:
  static constexpr int width = bundle_lines<Real>;

  __device__ ColumnBundle(int number, RegisterTask<Real> const& task)
      : line_(width * number - task.shift), lines_(task.lines) {}

  /// Returns the number of the first line, which is negative if it lies before the box.
  [[nodiscard]] __device__ __forceinline__ int line() const { return line_; }

  [[nodiscard]] __device__ __forceinline__ BundleValue<Real> load(Real const* from) const {
    Vector<Real> values{};
    if (line_ + width > 0 && line_ < lines_) values = *reinterpret_cast<Vector<Real> const*>(from);
    return bundle_of<Real>([&](int i) { return has(i) ? values.v[i] : Real{0}; });
  }
  __device__ __forceinline__ void store(Real* to, BundleValue<Real> value) const {
    if (has(0) && has(width - 1)) {
      store_whole(to, vector_of(value));
    } else {
      store_some(to, value);
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ bool has(int i) const {
    return line_ + i >= 0 && line_ + i < lines_;
  }
  [[nodiscard]] __device__ __forceinline__ static Vector<Real> vector_of(BundleValue<Real> value) {
    if constexpr (width == 2) {
      return {{value.re, value.im}};
    } else {
      return {{value.re.a, value.re.b, value.im.a, value.im.b}};
    }
  }
  template <int i = 0>
  __device__ __forceinline__ void store_some(Real* to, BundleValue<Real> value) const {
    if (has(i)) to[i] = of_line<i>(value);
    if constexpr (i + 1 < width) store_some<i + 1>(to, value);
  }

  int line_;
  int lines_;
};

/// The inverse eigenvalues of the columns of a thread.
template <class Real>
class ColumnInverses {
 public:
  __device__ ColumnInverses(RegisterTask<Real> const& task, int line, int plane)
      : along_(task.axis == 1 ? task.spectrum.y : task.spectrum.z) {
    Real const across = (task.axis == 1 ? task.spectrum.z : task.spectrum.y)[plane];
#pragma unroll
    for (int i = 0; i < bundle_lines<Real>; ++i) {
      Real const own = task.spectrum.x[min(max(line + i, 0), task.lines - 1)];
      sums_[i] = own + across + task.spectrum.shift;
      may_be_constant_[i] = task.spectrum.drop_constant && own == Real{0} && across == Real{0};
    }
  }

  /// Returns the modes times their inverse eigenvalues; see Spectrum::inverse_of().
  [[nodiscard]] __device__ __forceinline__ BundleValue<Real> divided(BundleValue<Real> value,
                                                                     int mode) const {
    Real const own = along_[mode];
    auto const inverse = bundle_of<Real>([&](int i) {
      Real const quotient = fast_inverse(sums_[i] + own);
      return may_be_constant_[i] && own == Real{0} ? Real{0} : quotient;
    });
    return {value.re * inverse.re, value.im * inverse.im};
  }

 private:
  Real const* along_;
  Real sums_[bundle_lines<Real>];
  bool may_be_constant_[bundle_lines<Real>];
};

/// Two forms, to modes and back.
template <LineForm to_modes, LineForm to_points>
struct FormPair {
  static constexpr LineForm first = to_modes;
  static constexpr LineForm back = to_points;
};

/// The shared memory of a block of columns: places of nodes 0 to N, and a sum of each thread.
template <int N, class Real>
constexpr int column_places = (N + 1 + RegisterShape<N>::threads) * column_bundles<N>;

/// A thread of a block of columns.
template <int N, class Real>
class ColumnThread {
 public:
  using Value = BundleValue<Real>;
  using Number = decltype(Value::re);
  static constexpr int bundles = column_bundles<N>;

  __device__ __forceinline__ ColumnThread(RegisterTask<Real> const& task, Value* places)
      : task_(task),
        c_(static_cast<int>(threadIdx.x) % bundles),
        t_(static_cast<int>(threadIdx.x) / bundles),
        plane_(static_cast<int>(blockIdx.x) / task.tiles),
        places_(places + c_),
        bundle_(static_cast<int>(blockIdx.x) % task.tiles * bundles + c_, task) {}

  /// Loads the columns and transforms them, except for the last step.
  template <LineForm form>
  __device__ __forceinline__ void enter_from_field(Value* v) const {
    Real const* const from = task_.from.first + bundle_.line() + plane_ * task_.from.third;
    enter<form>(
        task_.steps, [&](int node) { return bundle_.load(from + node * task_.from.along); }, v);
  }
  __device__ __forceinline__ void transform(Value* v) const {
    auto const at = [&](int place) -> Value& { return places_[place * bundles]; };
    transform_registers<N>(t_, at, v, task_.roots, [] { __syncthreads(); });
  }
  template <LineForm form>
  __device__ __forceinline__ void leave_to_field(LineSteps<Real> const& steps, Value* v) const {
    Real* const to = task_.to.first + bundle_.line() + plane_ * task_.to.third;
    leave<form>(steps, v,
                [&](int node, Value value) { bundle_.store(to + node * task_.to.along, value); });
  }
  /// Divides modes by their eigenvalues and begins the transform back.
  template <LineForm form, LineForm back>
  __device__ __forceinline__ void divide(Value* v) const {
    constexpr int first_mode = form == LineForm::sine ? 1 : 0;
    __syncthreads();
    ColumnInverses<Real> const inverses(task_, bundle_.line(), plane_);
    leave<form>(task_.steps, v, [&](int node, Value value) {
      places_[node * bundles] = inverses.divided(value, node - first_mode);
    });
    __syncthreads();
    enter<back>(
        task_.back, [&](int node) { return places_[node * bundles]; }, v);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ auto part() const {
    return [places = places_ + (N + 1) * bundles](int thread) -> Value& {
      return places[thread * bundles];
    };
  }
  template <LineForm form, class Node>
  __device__ __forceinline__ void enter(LineSteps<Real> const& steps, Node const& node,
                                        Value* v) const {
    Value odd_sum{};
    enter_registers<N, form>(t_, steps, NodeInput<N, form, Node>(t_, node), v, odd_sum);
    if constexpr (form == LineForm::cosine) {
      auto const at = part();
      OddSums<RegisterShape<N>::threads, Number, decltype(at)>(t_, at).set(odd_sum);
    }
  }
  template <LineForm form, class Put>
  __device__ __forceinline__ void leave(LineSteps<Real> const& steps, Value const* v,
                                        Put const& put) const {
    auto const at = part();
    OddSums<RegisterShape<N>::threads, Number, decltype(at)> const sums(t_, at);
    leave_registers<N, form>(
        t_, steps, v, [&] { return sums.total(); }, put);
  }

  RegisterTask<Real> const& task_;
  int c_;
  int t_;
  int plane_;
  Value* places_;
  ColumnBundle<Real> bundle_;
};

/// Transforms columns along y or z.
template <int N, class Real, LineForm... forms>
__global__ void __launch_bounds__(column_bundles<N>* RegisterShape<N>::threads, column_blocks<N>)
    register_columns(__grid_constant__ RegisterTask<Real> const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  ColumnThread<N, Real> const thread(task, reinterpret_cast<BundleValue<Real>*>(memory));
  BundleValue<Real> v[16];
  with_form<forms...>(task.steps.form,
                      [&](auto form) { thread.template enter_from_field<form()>(v); });
  thread.transform(v);
  with_form<forms...>(task.steps.form,
                      [&](auto form) { thread.template leave_to_field<form()>(task.steps, v); });
}

/// Transforms columns along y or z, divides by the eigenvalues and transforms back.
template <int N, class Real, class... Pairs>
__global__ void __launch_bounds__(column_bundles<N>* RegisterShape<N>::threads, column_blocks<N>)
    register_solve(__grid_constant__ RegisterTask<Real> const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  ColumnThread<N, Real> const thread(task, reinterpret_cast<BundleValue<Real>*>(memory));
  BundleValue<Real> v[16];
  with_form<Pairs::first...>(task.steps.form,
                             [&](auto form) { thread.template enter_from_field<form()>(v); });
  thread.transform(v);
  (void)(((task.steps.form == Pairs::first || sizeof...(Pairs) == 1) &&
          (thread.template divide<Pairs::first, Pairs::back>(v), true)) ||
         ...);
  thread.transform(v);
  with_form<Pairs::back...>(
      task.back.form, [&](auto form) { thread.template leave_to_field<form()>(task.back, v); });
}

}  // namespace isotherm::cuda
