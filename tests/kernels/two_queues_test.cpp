#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/flags.hpp"
#include "kernels/gaussians/gaussians.hpp"
#include "kernels/sweep/resident.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Two queues in one program, on two devices if there are two, and a third one on the CPU. The work
// of one must not affect another, in any order and from any thread.

namespace isotherm::test {
namespace {

/// A grid with fixed boundary points, swept back and forth between two fields.
template <class Rule>
class Diffusion {
 public:
  using Real = typename Rule::Real;

  Diffusion(Queue& queue, Extent3 n, unsigned seed)
      : queue_(&queue), before_(queue, n, halo(n)), after_(queue, n, halo(n)), change_(queue) {
    auto const start = random_points<Real>(before_.owned(), seed);
    write_points(queue, before_, start);
  }

  void pass(Rule const& rule, SweepPlan const& plan) {
    change_.clear(*queue_);
    sweep(*queue_, rule,
          Pass<Real>{std::as_const(before_).view(),
                     after_.view(),
                     {},
                     before_.owned(),
                     inner(),
                     change_.device()},
          plan);
    change_.fetch(*queue_);
    std::swap(before_, after_);
  }

  void take_resident_steps(Rule const& rule, std::int64_t steps) {
    advance_resident(*queue_, rule,
                     ResidentGrid<Real>{before_.view(), {}, before_.owned(), inner(), {}}, steps);
  }

  void copy_faces_about() {
    Extent3 const n = before_.owned().extent();
    LocalBox const below{{-1, 0, 0}, {0, n.y, n.z}};
    LocalBox const above{{n.x, 0, 0}, {n.x + 1, n.y, n.z}};
    wrap(*queue_, before_.view(), std::array{below, above}, before_.owned());
    reflect(*queue_, before_.view(), LocalBox{{0, -1, 0}, {n.x, 0, n.z}}, 1, 0);
    fill(*queue_, before_.view(), LocalBox{{1, 1, 0}, {3, 2, n.z}}, Real(0.25));
  }

  void add_hills(double height) {
    std::vector<GaussianTerm> hills;
    for (int i = 0; i < 8; ++i) hills.push_back({0.5 * i, 0.2 * i, 0.0, 0.3, height});
    PointFrame const frame{{0.0, 0.0, 0.0}, {0.05, 0.05, 0.05}, {}};
    add_gaussians(*queue_, before_.view(), before_.owned(), frame, Rule::dimension, hills);
  }

  [[nodiscard]] std::vector<Real> values() {
    return read_points(*queue_, before_, before_.layout().box()).values;
  }
  /// The values of the grid's own points. After resident steps the ghost points hold arbitrary
  /// values.
  [[nodiscard]] std::vector<Real> own_values() {
    return read_points(*queue_, before_, before_.owned()).values;
  }
  [[nodiscard]] double largest_change() const { return change_.read().largest; }

 private:
  static Index3 halo(Extent3 n) { return {1, 1, n.z == 1 ? 0 : 1}; }
  [[nodiscard]] LocalBox inner() const {
    return before_.owned().grown({-1, -1, Rule::dimension == 3 ? -1 : 0});
  }

  Queue* queue_;
  Field<Real> before_, after_;
  ChangeReader change_;
};

class TwoQueues : public BackendTest {
 protected:
  Queue first_ = queue_number(0);
  Queue second_ = queue_number(1);
  Queue host_{Backend::cpu};

  static Queue queue_number(int i) {
    return backend_missing().empty() ? make_queue(i) : Queue(Backend::cpu);
  }

  [[nodiscard]] bool are_of_two_devices() const {
    return first_.backend() == Backend::cuda && first_.device() != second_.device();
  }

  static std::vector<int> numbers(std::size_t count, int from) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), from);
    return all;
  }

  static std::vector<int> content(Queue& queue, Buffer const& buffer) {
    std::vector<int> all(buffer.bytes() / sizeof(int));
    copy_bytes(queue, all.data(), buffer.data(), buffer.bytes());
    queue.wait();
    return all;
  }

  static void upload(Queue& queue, Buffer const& buffer, std::vector<int> const& values) {
    copy_bytes(queue, buffer.data(), values.data(), buffer.bytes());
    queue.wait();
  }
};

TEST_F(TwoQueues, HaveSeparateBuffers) {
  constexpr std::size_t count = 1 << 16;
  Buffer in_first(first_, Space::device, count * sizeof(int));
  Buffer in_second(second_, Space::device, count * sizeof(int));
  Buffer pinned(first_, Space::pinned, count * sizeof(int));

  upload(first_, in_first, numbers(count, 1));
  upload(second_, in_second, numbers(count, 7));
  EXPECT_EQ(content(first_, in_first), numbers(count, 1));
  EXPECT_EQ(content(second_, in_second), numbers(count, 7));

  in_first = Buffer(first_, Space::device, count * sizeof(int));  // frees the old buffer
  fill_bytes(first_, in_first.data(), 0, in_first.bytes());
  copy_bytes(second_, pinned.data(), in_second.data(), pinned.bytes());
  second_.wait();
  EXPECT_EQ(content(first_, in_first), std::vector<int>(count, 0));
  EXPECT_EQ(pinned.as<int>()[count - 1], static_cast<int>(count) + 6);
}

TEST_F(TwoQueues, CopyBetweenQueues) {
  constexpr std::size_t count = 1 << 16;
  Buffer const in_first(first_, Space::device, count * sizeof(int));
  Buffer const in_second(second_, Space::device, count * sizeof(int));
  upload(first_, in_first, numbers(count, 3));

  copy_bytes(second_, in_second.data(), in_first.data(), in_first.bytes());

  EXPECT_EQ(content(second_, in_second), numbers(count, 3));
}

TEST_F(TwoQueues, WaitForEventsOfEachOther) {
  constexpr std::size_t count = 1 << 22;
  Buffer const from(first_, Space::device, count * sizeof(int));
  Buffer const between(first_, Space::device, count * sizeof(int));
  Buffer const to(second_, Space::device, count * sizeof(int));
  fill_bytes(second_, to.data(), 0, to.bytes());
  upload(first_, from, numbers(count, 5));
  Event start(first_);
  Event copied(first_);

  start.record(first_);
  copy_bytes(first_, between.data(), from.data(), from.bytes());
  copied.record(first_);
  copied.enqueue_wait(second_);
  copy_bytes(second_, to.data(), between.data(), between.bytes());
  first_.wait_for(second_);
  fill_bytes(first_, between.data(), 0, between.bytes());

  EXPECT_EQ(content(second_, to), numbers(count, 5));
  EXPECT_TRUE(copied.reached());
  EXPECT_GE(copied.seconds_since(start), 0.0);
}

TEST_F(TwoQueues, HaveSeparateFlags) {
  Buffer const one(first_, Space::device, sizeof(std::uint32_t));
  Buffer const other(second_, Space::device, sizeof(std::uint32_t));
  fill_bytes(first_, one.data(), 0, one.bytes());
  fill_bytes(second_, other.data(), 0, other.bytes());

  raise_flags(first_, std::array{one.as<std::uint32_t>()}, 3);
  raise_flags(second_, std::array{other.as<std::uint32_t>()}, 5);
  await_flags(first_, std::array{one.as<std::uint32_t>()}, 3);
  await_flags(second_, std::array{other.as<std::uint32_t>()}, 5);

  EXPECT_EQ(read_flag(first_, one.as<std::uint32_t>()), 3U);
  EXPECT_EQ(read_flag(second_, other.as<std::uint32_t>()), 5U);
}

TEST_F(TwoQueues, RefuseEventsOfAnotherBackend) {
  Event of_host(host_);
  Event of_first(first_);
  if (first_.backend() == Backend::cuda) {
    EXPECT_THROW(of_host.record(first_), Error);
    EXPECT_THROW(of_first.record(host_), Error);
  }
  if (are_of_two_devices()) {
    EXPECT_THROW(of_first.record(second_), Error);
  }
  of_first.record(first_);
  of_host.record(host_);
  of_first.enqueue_wait(host_);
  EXPECT_TRUE(of_first.reached());
}

TEST_F(TwoQueues, InterleavedSweepsMatchTheCpu) {
  using Rule = Ftcs3D<float>;
  Rule const rule{{0.4F}, {0.1F, 0.1F, 0.1F}};
  Extent3 const n{150, 45, 20};
  int const device = first_.device();
  for (SweepPlan const& plan : sweep_plans(tested_backend(), 3, Precision::float32, device)) {
    Diffusion<Rule> one(first_, n, 1);
    Diffusion<Rule> two(second_, n, 2);
    Diffusion<Rule> expected_one(host_, n, 1);
    Diffusion<Rule> expected_two(host_, n, 2);
    for (int pass = 0; pass < 2; ++pass) {
      one.pass(rule, plan);
      for (int step = 0; step < plan.steps; ++step) expected_one.pass(rule, {});
      two.pass(rule, plan);
      for (int step = 0; step < plan.steps; ++step) expected_two.pass(rule, {});
    }
    EXPECT_EQ(two.largest_change(), expected_two.largest_change()) << plan.name;
    EXPECT_EQ(one.largest_change(), expected_one.largest_change()) << plan.name;
    EXPECT_EQ(one.values(), expected_one.values()) << plan.name;
    EXPECT_EQ(two.values(), expected_two.values()) << plan.name;
  }
}

TEST_F(TwoQueues, InterleavedResidentStepsMatchTheCpu) {
  using Rule = Jacobi2D<double>;
  Rule const rule{{}, {0.25, 0.25, 0.0}};
  Extent3 const small{70, 65, 1};
  Extent3 const large{260, 190, 1};  // needs more memory for halo exchange
  for (Queue const* const queue : {&first_, &second_}) {
    if (!resident_fits(queue->backend(), queue->device(), Precision::float64, large, false)) {
      GTEST_SKIP() << "the grid does not fit the registers of the device";
    }
  }
  Diffusion<Rule> one(first_, small, 3);
  Diffusion<Rule> two(second_, large, 4);
  Diffusion<Rule> three(first_, large, 5);
  Diffusion<Rule> expected_one(host_, small, 3);
  Diffusion<Rule> expected_two(host_, large, 4);
  Diffusion<Rule> expected_three(host_, large, 5);

  for (Diffusion<Rule>* const d : {&one, &two, &three, &one, &two})
    d->take_resident_steps(rule, 21);
  for (Diffusion<Rule>* const d :
       {&expected_one, &expected_two, &expected_three, &expected_one, &expected_two}) {
    for (int step = 0; step < 21; ++step) d->pass(rule, {});
  }

  EXPECT_EQ(one.own_values(), expected_one.own_values());
  EXPECT_EQ(two.own_values(), expected_two.own_values());
  EXPECT_EQ(three.own_values(), expected_three.own_values());
}

TEST_F(TwoQueues, FaceCopiesMatchTheCpu) {
  using Rule = Ftcs3D<double>;
  Extent3 const n{33, 21, 9};
  Diffusion<Rule> one(first_, n, 6);
  Diffusion<Rule> two(second_, n, 7);
  Diffusion<Rule> expected_one(host_, n, 6);
  Diffusion<Rule> expected_two(host_, n, 7);

  for (Diffusion<Rule>* const d : {&one, &expected_one, &two, &expected_two}) {
    d->copy_faces_about();
    d->add_hills(0.5);
  }

  EXPECT_EQ(one.values(), expected_one.values());
  EXPECT_EQ(two.values(), expected_two.values());
}

/// Runs every kind of work on a new field.
std::vector<float> work_on(Queue& queue, SweepPlan const& plan, unsigned seed) {
  using Rule = Ftcs3D<float>;
  Rule const rule{{0.4F}, {0.1F, 0.1F, 0.1F}};
  Diffusion<Rule> field(queue, {130, 33, 10}, seed);
  for (int round = 0; round < 3; ++round) {
    field.add_hills(0.01 * seed);
    field.copy_faces_about();
    field.pass(rule, plan);
  }
  return field.values();
}

TEST_F(TwoQueues, WorkFromAnotherThread) {
  SweepPlan const plan{};
  std::vector<float> found;
  std::thread([&] { found = work_on(second_, plan, 1); }).join();

  EXPECT_EQ(found, work_on(host_, plan, 1));
  EXPECT_EQ(work_on(second_, plan, 2), work_on(host_, plan, 2));  // and again from the main thread
}

TEST_F(TwoQueues, WorkFromTwoThreadsAtATime) {
  for (SweepPlan const& plan :
       sweep_plans(tested_backend(), 3, Precision::float32, first_.device())) {
    std::vector<float> one;
    std::vector<float> two;
    std::thread other([&] { one = work_on(first_, plan, 1); });
    two = work_on(second_, plan, 2);
    other.join();

    EXPECT_EQ(one, work_on(first_, plan, 1)) << plan.name;
    EXPECT_EQ(two, work_on(second_, plan, 2)) << plan.name;
    if (plan.steps == 1) {
      EXPECT_EQ(two, work_on(host_, {}, 2)) << plan.name;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
