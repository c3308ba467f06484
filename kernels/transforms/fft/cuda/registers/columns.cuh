#pragma once

#include "kernels/core/cuda/vector.cuh"
#include "kernels/transforms/cuda/fast_inverse.cuh"
#include "kernels/transforms/fft/cuda/registers/cluster.cuh"
#include "kernels/transforms/fft/cuda/registers/forms.cuh"
#include "kernels/transforms/fft/cuda/registers/register_transform.hpp"

namespace isotherm::cuda {

/// Bundles of a row of 128 bytes of a field.
constexpr int row_of_bundles = 8;
/// Number of blocks of a cluster. Together they have the columns of rows of 128 bytes.
template <int N>
constexpr int cluster_blocks = N <= 1024   ? 1
                               : N <= 4096 ? N / 512
                                           : row_of_bundles;
/// Bundles of lines of a block if lines lie along y or z.
template <int N>
constexpr int column_bundles = N >= 192 ? row_of_bundles / cluster_blocks<N> : 16;
template <int N>
constexpr int column_threads = column_bundles<N>* RegisterShape<N>::threads;
/// Blocks of a multiprocessor such that each thread has 128 registers, or a few less.
template <int N>
constexpr int column_blocks = 512 / column_threads<N>;

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

/// The shared memory of a block of columns: places of nodes 0 to N, a sum of each thread, and long
/// waves.
template <int N, class Real>
constexpr int column_places = (N + 1 + RegisterShape<N>::threads + wave_places) * column_bundles<N>;

/// A thread of a block of columns.
///
/// The blocks of a cluster load and store rows of 128 bytes together: each has some of the nodes of
/// all their columns, and finds the columns in the shared memory of the others.
template <int N, class Real>
class ColumnThread {
 public:
  using Value = BundleValue<Real>;
  using Number = decltype(Value::re);
  static constexpr int bundles = column_bundles<N>;
  static constexpr bool is_cluster = cluster_blocks<N> > 1;

  __device__ __forceinline__ ColumnThread(RegisterTask<Real> const& task, Value* places)
      : task_(task),
        c_(static_cast<int>(threadIdx.x) % bundles),
        t_(static_cast<int>(threadIdx.x) / bundles),
        plane_(static_cast<int>(blockIdx.x) / task.tiles),
        shared_(places),
        bundle_(static_cast<int>(blockIdx.x) % task.tiles * bundles + c_, task) {}

  /// Loads the columns and transforms them, except for the last step.
  template <LineForm form>
  __device__ __forceinline__ void enter_from_field(Value* v) const {
    if constexpr (is_cluster) {
      load_rows<form>(v);
      enter<form>(
          task_.steps, [&](int node) { return place(node); }, v);
    } else {
      Real const* const from = task_.from.first + bundle_.line() + plane_ * task_.from.third;
      auto const node = [&](int k) { return bundle_.load(from + k * task_.from.along); };
      enter<form>(task_.steps, node, v);
    }
  }
  __device__ __forceinline__ void transform(Value* v) const {
    auto const at = [&](int number) -> Value& { return place(number); };
    transform_registers<N>(t_, at, v, task_.roots, [] { __syncthreads(); });
  }
  template <LineForm form>
  __device__ __forceinline__ void leave_to_field(LineSteps<Real> const& steps, Value* v) const {
    if constexpr (is_cluster) {
      __syncthreads();
      leave<form>(steps, v, [&](int node, Value value) { place(node) = value; });
      store_rows<form>();
    } else {
      Real* const to = task_.to.first + bundle_.line() + plane_ * task_.to.third;
      leave<form>(steps, v,
                  [&](int node, Value value) { bundle_.store(to + node * task_.to.along, value); });
    }
  }
  /// Divides modes by their eigenvalues and begins the transform back.
  template <LineForm form, LineForm back>
  __device__ __forceinline__ void divide(Value* v) const {
    constexpr int first_mode = form == LineForm::sine ? 1 : 0;
    __syncthreads();
    ColumnInverses<Real> const inverses(task_, bundle_.line(), plane_);
    leave<form>(task_.steps, v, [&](int node, Value value) {
      place(node) = inverses.divided(value, node - first_mode);
    });
    __syncthreads();
    enter<back>(
        task_.back, [&](int node) { return place(node); }, v);
  }

 private:
  /// The part of this thread in the loads and stores of a cluster.
  struct RowPart {
    static constexpr int count = 16;                                  ///< rows of a thread
    static constexpr int pitch = column_threads<N> / row_of_bundles;  ///< between them
    ColumnBundle<Real> bundle;
    Value* places;   ///< of the bundle, in the block that has it
    int first_node;  ///< node of the first row
  };
  static_assert(!is_cluster || RowPart::count * RowPart::pitch * cluster_blocks<N> == N);

  [[nodiscard]] __device__ __forceinline__ Value& place(int number) const {
    return shared_[number * bundles + c_];
  }
  [[nodiscard]] __device__ __forceinline__ RowPart row_part() const {
    int const number = static_cast<int>(threadIdx.x) % row_of_bundles;
    int const row = static_cast<int>(threadIdx.x) / row_of_bundles;
    int const first_block = static_cast<int>(blockIdx.x) - cluster_rank();
    return {ColumnBundle<Real>(first_block % task_.tiles * bundles + number, task_),
            of_cluster(shared_, number / bundles) + number % bundles,
            cluster_rank() * RowPart::count * RowPart::pitch + row};
  }
  /// Loads this block's nodes of all columns of the cluster.
  template <LineForm form>
  __device__ __forceinline__ void load_rows(Value* v) const {
    arrive_in_cluster();
    RowPart const part = row_part();
    Real const* const from = task_.from.first + part.bundle.line() + plane_ * task_.from.third;
    auto const load = [&](int node) { return part.bundle.load(from + node * task_.from.along); };
    Value last{};
    if (form == LineForm::cosine && part.first_node == 0) last = load(N);
#pragma unroll
    for (int n = 0; n < RowPart::count; ++n) {
      int const node = part.first_node + n * RowPart::pitch;
      v[n] = load(form == LineForm::sine && n == 0 ? max(node, 1) : node);
    }
    wait_for_cluster();  // all blocks have begun
#pragma unroll
    for (int n = 0; n < RowPart::count; ++n) {
      part.places[(part.first_node + n * RowPart::pitch) * bundles] = v[n];
    }
    if (form == LineForm::cosine && part.first_node == 0) part.places[N * bundles] = last;
    arrive_in_cluster();
    wait_for_cluster();
  }
  /// Stores this block's nodes of all columns of the cluster.
  template <LineForm form>
  __device__ __forceinline__ void store_rows() const {
    arrive_in_cluster();
    wait_for_cluster();
    RowPart const part = row_part();
    Real* const to = task_.to.first + part.bundle.line() + plane_ * task_.to.third;
    auto const store = [&](int node, Value value) {
      part.bundle.store(to + node * task_.to.along, value);
    };
    Value values[RowPart::count];
#pragma unroll
    for (int n = 0; n < RowPart::count; ++n) {
      values[n] = part.places[(part.first_node + n * RowPart::pitch) * bundles];
    }
#pragma unroll
    for (int n = 0; n < RowPart::count; ++n) {
      int const node = part.first_node + n * RowPart::pitch;
      if (form != LineForm::sine || node > 0) store(node, values[n]);
    }
    if (form == LineForm::cosine && part.first_node == 0) store(N, part.places[N * bundles]);
    arrive_in_cluster();
    wait_for_cluster();  // no block ends while others read its memory
  }

  [[nodiscard]] __device__ __forceinline__ auto odd_sums() const {
    Value* const places = shared_ + (N + 1) * bundles + c_;
    return OddSums<RegisterShape<N>::threads, bundles, Number>(t_, places);
  }
  /// Returns the places of the long waves.
  [[nodiscard]] __device__ __forceinline__ Value* waves() const {
    return shared_ + (N + 1 + RegisterShape<N>::threads) * bundles + wave_places * c_;
  }
  template <LineForm form, class Node>
  __device__ __forceinline__ void enter(LineSteps<Real> const& steps, Node const& node,
                                        Value* v) const {
    Value odd_sum{};
    enter_registers<N, form>(t_, steps, NodeInput<N, form, Node>(t_, node), v, odd_sum, waves());
    if constexpr (form == LineForm::cosine) odd_sums().set(odd_sum);
  }
  template <LineForm form, class Put>
  __device__ __forceinline__ void leave(LineSteps<Real> const& steps, Value const* v,
                                        Put const& put) const {
    leave_registers<N, form>(
        t_, steps, v, [&] { return odd_sums().total(); }, waves(), put);
  }

  RegisterTask<Real> const& task_;
  int c_;
  int t_;
  int plane_;
  Value* shared_;
  ColumnBundle<Real> bundle_;
};

/// Transforms columns along y or z.
template <int N, class Real, LineForm... forms>
__global__ void __launch_bounds__(column_threads<N>, column_blocks<N>)
    register_columns(__grid_constant__ RegisterTask<Real> const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  ColumnThread<N, Real> const thread(task, reinterpret_cast<BundleValue<Real>*>(memory));
  BundleValue<Real> v[RegisterShape<N>::values];
  with_form<forms...>(task.steps.form,
                      [&](auto form) { thread.template enter_from_field<form()>(v); });
  thread.transform(v);
  with_form<forms...>(task.steps.form,
                      [&](auto form) { thread.template leave_to_field<form()>(task.steps, v); });
}

/// Transforms columns along y or z, divides by the eigenvalues and transforms back.
template <int N, class Real, class... Pairs>
__global__ void __launch_bounds__(column_threads<N>, column_blocks<N>)
    register_solve(__grid_constant__ RegisterTask<Real> const task) {
  extern __shared__ __align__(16) unsigned char memory[];
  ColumnThread<N, Real> const thread(task, reinterpret_cast<BundleValue<Real>*>(memory));
  BundleValue<Real> v[RegisterShape<N>::values];
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
