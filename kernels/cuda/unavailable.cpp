#include "kernels/cuda/faces.hpp"
#include "kernels/cuda/gaussians.hpp"
#include "kernels/cuda/persistent_2d.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/sweep.hpp"
#include "kernels/error.hpp"
#include "kernels/rules.hpp"

// Stands in for the CUDA backend in builds without it. Nothing but the queries at the top is
// reached, because a Queue on CUDA cannot be made.

namespace isotherm::cuda {

bool built() noexcept { return false; }
int device_count() noexcept { return 0; }
std::string absence_reason() { return "this build has no CUDA backend"; }

namespace {

[[noreturn]] void refuse() {
  throw Error("CUDA was asked for, but this build has no CUDA backend (configure where nvcc is)");
}

}  // namespace

DeviceInfo device_info(int) { refuse(); }
void* create_stream(int) { refuse(); }
void destroy_stream(void*) noexcept {}
void wait_for_stream(void*) { refuse(); }
void* create_event() { refuse(); }
void destroy_event(void*) noexcept {}
void record_event(void*, void*) { refuse(); }
void make_stream_wait(void*, void*) { refuse(); }
bool event_reached(void*) { refuse(); }
void wait_for_event(void*) { refuse(); }
double seconds_between(void*, void*) { refuse(); }
void* allocate_device(std::size_t) { refuse(); }
void* allocate_pinned(std::size_t) { refuse(); }
void free_device(void*) noexcept {}
void free_pinned(void*) noexcept {}
void copy(void*, void*, void const*, std::size_t) { refuse(); }
void fill(void*, void*, int, std::size_t) { refuse(); }
MemoryHandle export_memory(void*) { refuse(); }
void* open_memory(MemoryHandle const&, int) { refuse(); }
void close_memory(void*) noexcept {}
void raise_flags(void*, std::span<std::uint32_t* const>, std::uint32_t) { refuse(); }
void await_flags(void*, std::span<std::uint32_t* const>, std::uint32_t) { refuse(); }

bool resident_fits(int, std::size_t, Extent3, bool) { refuse(); }

template <class Real>
void pack(Queue&, FieldView<Real const>, std::span<Parcel<Real> const>) {
  refuse();
}
template <class Real>
void unpack(Queue&, std::span<Parcel<Real const> const>, FieldView<Real>) {
  refuse();
}
template <class Real>
void wrap(Queue&, FieldView<Real>, std::span<LocalBox const>, LocalBox) {
  refuse();
}
template <class Real>
void reflect(Queue&, FieldView<Real>, LocalBox, int, std::int64_t) {
  refuse();
}
template <class Real>
void fill(Queue&, FieldView<Real>, LocalBox, Real) {
  refuse();
}
template <class Real>
void add_gaussians(Queue&, FieldView<Real>, LocalBox, PointFrame const&, int,
                   std::vector<PreparedGaussian> const&) {
  refuse();
}
template <class Rule>
void sweep(Queue&, Rule const&, Pass<typename Rule::Real> const&, SweepPlan const&) {
  refuse();
}
template <class Rule>
std::vector<SweepPlan> plans() {
  refuse();
}
template <class Rule>
void advance_resident(Queue&, Rule const&, ResidentGrid<typename Rule::Real> const&, std::int64_t,
                      MeasuredSteps const&) {
  refuse();
}

#define ISOTHERM_INSTANTIATE(Real)                                                       \
  template void pack(Queue&, FieldView<Real const>, std::span<Parcel<Real> const>);      \
  template void unpack(Queue&, std::span<Parcel<Real const> const>, FieldView<Real>);    \
  template void wrap(Queue&, FieldView<Real>, std::span<LocalBox const>, LocalBox);      \
  template void reflect(Queue&, FieldView<Real>, LocalBox, int, std::int64_t);           \
  template void fill(Queue&, FieldView<Real>, LocalBox, Real);                           \
  template void add_gaussians(Queue&, FieldView<Real>, LocalBox, PointFrame const&, int, \
                              std::vector<PreparedGaussian> const&);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void sweep(Queue&, Rule const&, Pass<typename Rule::Real> const&, SweepPlan const&); \
  template std::vector<SweepPlan> plans<Rule>();
ISOTHERM_FOR_EACH_RULE(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void advance_resident(Queue&, Rule const&, ResidentGrid<typename Rule::Real> const&, \
                                 std::int64_t, MeasuredSteps const&);
ISOTHERM_FOR_EACH_RULE_IN_2D(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
