#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "decomposition/ranks/device_memory.hpp"
#include "decomposition/transport/choice/fastest.hpp"
#include "decomposition/transport/choice/link_rates.hpp"
#include "decomposition/transport/mixed.hpp"
#include "decomposition/transport/mpi.hpp"
#include "decomposition/transport/nccl.hpp"
#include "decomposition/transport/peer/peer_memory.hpp"
#include "decomposition/transport/probe.hpp"
#include "decomposition/transport/staged.hpp"
#include "decomposition/transport/staged/shared_ring.hpp"
#include "decomposition/transport/staged/staged_mpi.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/ring.hpp"

// All transports of halo messages: arrival, order, refusals and the automatic choice.

namespace isotherm::test {
namespace {

constexpr std::size_t alignment = 256;

std::vector<std::size_t> const odd_sizes{0, 1, 255, 256, 257, (std::size_t{1} << 20) + 1};

void expect_aligned(void const* range) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range) % alignment, 0U);
}

void expect_messages_arrive(Transport& transport, Ring const& ring, Queue& queue) {
  for (int round = 0; round < 5; ++round) {
    ring.send(transport, queue, round);

    transport.begin(queue);
    transport.finish(queue);

    EXPECT_EQ(ring.mistakes(transport, queue, round), 0U) << "in round " << round;
    for (std::size_t i = 0; i < ring.messages().size(); ++i) {
      expect_aligned(transport.outgoing(i));
      expect_aligned(transport.incoming(i));
    }
  }
}

/// True if a kind must work. Capabilities of devices vary from machine to machine.
bool must_work(TransportKind kind, mpi::Communicator const& world) {
  bool const on_cpu = tested_backend() == Backend::cpu;
  switch (kind) {
    case TransportKind::automatic:
    case TransportKind::staged:
      return true;
    case TransportKind::mpi:
      return on_cpu || mpi::accepts_device_memory();
    case TransportKind::peer:
      return on_cpu && world.local_size() == world.size();  // all ranks on one host
    case TransportKind::nccl:
      return false;
  }
  return false;
}

/// Every guarantee holds for every kind of transport. A kind that cannot work here is skipped with
/// its reason, which is the same on all ranks.
class TransportOfKind : public OnTestedBackend<testing::TestWithParam<TransportKind>> {
 protected:
  /// Null if this kind cannot work; then obstacle() has the reason.
  std::unique_ptr<Transport> make(mpi::Communicator const& world, Queue& queue, Ring const& ring) {
    try {
      return make_transport(GetParam(), world, queue, ring.messages());
    } catch (InputError const& refusal) {
      EXPECT_FALSE(must_work(GetParam(), world)) << refusal.what();
      obstacle_ = refusal.what();
      return nullptr;
    }
  }
  [[nodiscard]] std::string const& obstacle() const { return obstacle_; }

  /// Skips the test if the kind does not work here.
  void expect_arrival(mpi::Communicator const& world, Ring const& ring) {
    Queue queue = make_queue(world.local_rank());
    auto const transport = make(world, queue, ring);
    if (transport == nullptr) GTEST_SKIP() << obstacle();

    expect_messages_arrive(*transport, ring, queue);
  }

 private:
  std::string obstacle_;
};

TEST_P(TransportOfKind, MovesEveryByte) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  expect_arrival(world, Ring(world));
}

TEST_P(TransportOfKind, MovesMessagesOfAnySize) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  expect_arrival(world, Ring(world, odd_sizes));
}

TEST_P(TransportOfKind, SupportsEmptySetsOfMessages) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  expect_arrival(world, Ring(world, {}));
}

TEST_P(TransportOfKind, PassesItsTestMessages) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world, odd_sizes);
  auto const transport = make(world, queue, ring);
  if (transport == nullptr) GTEST_SKIP() << obstacle();

  EXPECT_TRUE(carries(world, queue, *transport, ring.messages()));
  expect_messages_arrive(*transport, ring, queue);
}

TEST_P(TransportOfKind, TwoTransportsMayFinishInAnyOrder) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world);
  auto const one = make(world, queue, ring);
  auto const two = make(world, queue, ring);
  if (one == nullptr || two == nullptr) GTEST_SKIP() << obstacle();

  for (int round = 0; round < 3; ++round) {
    ring.send(*one, queue, round);
    ring.send(*two, queue, 100 + round);
    one->begin(queue);
    two->begin(queue);
    two->finish(queue);
    one->finish(queue);

    EXPECT_EQ(ring.mistakes(*one, queue, round), 0U) << "in round " << round;
    EXPECT_EQ(ring.mistakes(*two, queue, 100 + round), 0U) << "in round " << round;
  }
}

TEST_P(TransportOfKind, RecreatedTransportMovesEveryByte) {
  for (int time = 0; time < 3; ++time) {
    mpi::Communicator const world(MPI_COMM_WORLD);
    Queue queue = make_queue(world.local_rank());
    Ring const ring(world);
    auto const transport = make(world, queue, ring);
    if (transport == nullptr) GTEST_SKIP() << obstacle();

    expect_messages_arrive(*transport, ring, queue);
  }
}

/// Work that delays this rank's queue relative to its host and to other ranks.
class Delay {
 public:
  explicit Delay(Queue& queue) : memory_(queue, Space::device, std::size_t{8} << 20) {}
  void enqueue_if(bool due, Queue& queue) const {
    if (due) fill_bytes(queue, memory_.data(), 0x5a, memory_.bytes());
  }

 private:
  Buffer memory_;
};

/// The host checks nothing before the end. If a transport reuses a range while a queue, here or at
/// a neighbour, still works on it, the log shows it.
TEST_P(TransportOfKind, ManyRoundsWithoutWaitingDoNotMix) {
  constexpr int rounds = 200;
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world, {300, 20'001, 4096, 77});
  auto const transport = make(world, queue, ring);
  if (transport == nullptr) GTEST_SKIP() << obstacle();
  Buffer const sends(queue, Space::pinned, rounds * ring.bytes());
  Buffer const log(queue, Space::pinned, rounds * ring.bytes());
  Delay const delay(queue);
  for (int round = 0; round < rounds; ++round) {
    Bytes const all = ring.outgoing(round);
    std::copy(all.begin(), all.end(), sends.as<std::byte>() + round * ring.bytes());
  }

  for (int round = 0; round < rounds; ++round) {
    delay.enqueue_if(round % 5 == world.rank(), queue);
    ring.write(*transport, queue, sends.as<std::byte>() + round * ring.bytes());
    transport->begin(queue);
    delay.enqueue_if(round % 7 == world.rank(), queue);
    transport->finish(queue);
    delay.enqueue_if(round % 6 == world.rank(), queue);
    ring.read(*transport, queue, log.as<std::byte>() + round * ring.bytes());
  }
  queue.wait();

  for (int round = 0; round < rounds; ++round) {
    EXPECT_EQ(differences(ring.incoming(round), log.as<std::byte>() + round * ring.bytes()), 0U)
        << "in round " << round;
  }
}

TEST_P(TransportOfKind, DescribesItself) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  auto const transport = make(world, queue, Ring(world));
  if (transport == nullptr) GTEST_SKIP() << obstacle();

  switch (GetParam()) {
    case TransportKind::staged:
      EXPECT_EQ(transport->description().text(), "staged through pinned host memory");
      EXPECT_FALSE(transport->enqueues_only());
      break;
    case TransportKind::mpi:
      EXPECT_EQ(transport->description().text(), "mpi");
      EXPECT_FALSE(transport->enqueues_only());
      break;
    case TransportKind::nccl:
      EXPECT_EQ(transport->description().text(), "nccl");
      EXPECT_TRUE(transport->enqueues_only());
      break;
    case TransportKind::peer:
      EXPECT_EQ(transport->description().text(), "peer memory");
      EXPECT_TRUE(transport->enqueues_only());
      break;
    case TransportKind::automatic:
      EXPECT_NE(transport->description().names(), "");
  }
}

TEST(TransportDescriptionTest, GivesNamesWithAndWithoutReasons) {
  TransportDescription description("peer memory", "26 µs");
  description.append(TransportDescription("mpi"));
  EXPECT_EQ(description.text(), "peer memory (26 µs), mpi");

  description.add_reason("");
  description.add_reason("nccl: no library");
  description.add_reason("one step per pass");
  EXPECT_EQ(description.text(), "peer memory (26 µs), mpi (nccl: no library; one step per pass)");
  EXPECT_EQ(description.names(), "peer memory, mpi");
}

std::string reason_against(TransportKind kind, mpi::Communicator const& world, Queue& queue) {
  try {
    (void)make_transport(kind, world, queue, Ring(world).messages());
    return "";
  } catch (InputError const& refusal) {
    return refusal.what();
  }
}

TEST_P(TransportOfKind, RefusalHasReasonAndRemedy) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());

  std::string const reason = reason_against(GetParam(), world, queue);

  for (std::string const& one : world.gather(reason)) EXPECT_EQ(one, reason);
  if (must_work(GetParam(), world)) {
    EXPECT_EQ(reason, "");
  } else if (!reason.empty()) {
    std::string const start = "transport \"" + name(GetParam()) + "\" cannot work here: ";
    EXPECT_EQ(reason.substr(0, start.size()), start);
    EXPECT_NE(reason.find("; use \"auto\""), std::string::npos) << reason;
    EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
  }
}

std::string name_of_kind(testing::TestParamInfo<TransportKind> const& info) {
  return name(info.param);
}

INSTANTIATE_TEST_SUITE_P(All, TransportOfKind,
                         testing::Values(TransportKind::automatic, TransportKind::staged,
                                         TransportKind::mpi, TransportKind::peer,
                                         TransportKind::nccl),
                         name_of_kind);

/// Short messages are decided by the latency, long ones by the bandwidth.
TEST(LinkRates, RankTransportsBySizeOfTheMessages) {
  using enum TransportKind;
  LinkRates rates{1e4, 1e8};
  rates.links = {{mpi, {}, 20e-6, 4e-3}, {nccl, "no library"}, {staged, {}, 40e-6, 2.5e-3}};

  EXPECT_EQ(rates.ranking(1e4), (std::vector{mpi, staged}));
  EXPECT_EQ(rates.ranking(1e8), (std::vector{staged, mpi}));
  EXPECT_EQ(rates.ranking(2e8), (std::vector{staged, mpi})) << "beyond what was measured";
  EXPECT_EQ(rates.rate_of(staged, 1e8), "2.5 ms, 40 GB/s");
  EXPECT_EQ(rates.rate_of(nccl, 1e8), "no library");
  EXPECT_EQ(rates.rate_of(peer, 1e8), "not measured");
  EXPECT_EQ(rates.others_than(staged, 1e4), "mpi: 20 µs, 0.5 GB/s; nccl: no library");
  EXPECT_EQ(rates.reasons_for(mpi, 1e4),
            "20 µs, 0.5 GB/s; nccl: no library; staged: 40 µs, 0.25 GB/s");
}

TEST(LinkRates, NearlyEqualTransportsKeepTheirOrder) {
  using enum TransportKind;
  LinkRates rates{1e4, 1e8};
  rates.links = {{peer, {}, 10e-6, 1e-3}, {staged, {}, 9.5e-6, 0.95e-3}};

  EXPECT_EQ(rates.ranking(1e6).front(), peer);
}

TEST(LinkRates, MeasuredTimesScatterButNeverDecrease) {
  LinkRate const odd{TransportKind::mpi, {}, 20e-6, 15e-6};
  EXPECT_EQ(odd.seconds_for(1e6, 1e4, 1e8), 20e-6);
  EXPECT_EQ(odd.seconds_for(1e6, 1e4, 1e4), 20e-6) << "both sizes are equal";
}

using TransportTest = BackendTest;

TEST_F(TransportTest, MeasuringAnExchangeTakesPlaceOnAllRanks) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  std::vector<Message> const messages = Ring(world, {17 << 20, 100}).messages();
  auto const transport = make_staged_transport(world, queue, messages);

  double const seconds = measure_exchange(world, queue, *transport, messages);

  EXPECT_GT(seconds, 0.0);
  EXPECT_EQ(world.max(seconds), seconds) << "the same on every rank";
}

TEST_F(TransportTest, MpiIsRefusedWithoutSupportForDeviceMemory) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  std::string const wanted =
      must_work(TransportKind::mpi, world)
          ? ""
          : "transport \"mpi\" cannot work here: " + mpi::library_version() +
                " does not report that it accepts pointers to device memory (if it does, set "
                "mpi_device_memory = \"yes\"); use \"auto\" or \"staged\"";

  EXPECT_EQ(reason_against(TransportKind::mpi, world, queue), wanted);
}

/// Sets and restores the use of device memory and its environment variable.
class DeviceMemorySetting {
 public:
  DeviceMemorySetting(mpi::DeviceMemory use, char const* variable) {
    mpi::use_device_memory(use);
    setenv("ISOTHERM_MPI_DEVICE_MEMORY", variable, 1);
  }
  ~DeviceMemorySetting() {
    mpi::use_device_memory(mpi::DeviceMemory::automatic);
    unsetenv("ISOTHERM_MPI_DEVICE_MEMORY");
  }
  DeviceMemorySetting(DeviceMemorySetting const&) = delete;
  DeviceMemorySetting& operator=(DeviceMemorySetting const&) = delete;
};

TEST(DeviceMemory, SettingPrecedesTheEnvironment) {
  using mpi::DeviceMemory;
  std::string const forbidden = "mpi_device_memory is \"no\"";
  {
    DeviceMemorySetting const scope(DeviceMemory::yes, "no");
    EXPECT_EQ(mpi::obstacle_to_device_memory(), "");
  }
  {
    DeviceMemorySetting const scope(DeviceMemory::no, "yes");
    EXPECT_EQ(mpi::obstacle_to_device_memory(), forbidden);
  }
  {
    DeviceMemorySetting const scope(DeviceMemory::automatic, "yes");
    EXPECT_EQ(mpi::obstacle_to_device_memory(), "");
  }
  {
    DeviceMemorySetting const scope(DeviceMemory::automatic, "no");
    EXPECT_EQ(mpi::obstacle_to_device_memory(), forbidden);
  }
  DeviceMemorySetting const scope(DeviceMemory::automatic, "perhaps");
  EXPECT_EQ(mpi::obstacle_to_device_memory(),
            "ISOTHERM_MPI_DEVICE_MEMORY is \"perhaps\"; it must be \"auto\", \"yes\" or \"no\"");
  EXPECT_THROW(mpi::check_device_memory_setting(mpi::Communicator(MPI_COMM_WORLD)), InputError);
}

TEST(DeviceMemory, ListsOfUcxTransportsIncludeCudaOrNot) {
  EXPECT_TRUE(mpi::includes_cuda(nullptr));
  EXPECT_TRUE(mpi::includes_cuda("all"));
  EXPECT_TRUE(mpi::includes_cuda("rc,sm,cuda_copy,cuda_ipc"));
  EXPECT_TRUE(mpi::includes_cuda("cuda"));
  EXPECT_TRUE(mpi::includes_cuda("^tcp"));
  EXPECT_FALSE(mpi::includes_cuda("rc,sm"));
  EXPECT_FALSE(mpi::includes_cuda("cuda_ipc")) << "between processes only";
  EXPECT_FALSE(mpi::includes_cuda("^cuda"));
  EXPECT_FALSE(mpi::includes_cuda(""));
}

/// Also on devices if ISOTHERM_REQUIRE_CUDA=1: ranks of one host can access each other's memory on
/// all supported devices.
bool must_reach_peers(mpi::Communicator const& world) {
  return world.local_size() == world.size() &&
         (tested_backend() == Backend::cpu || cuda_is_required());
}

/// A slower transport works as well; only the description reveals it. Between devices the fastest
/// is chosen by measurement, which names peer memory in any case.
TEST_F(TransportTest, AutoTriesPeerMemoryOnOneHost) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world);
  std::string const obstacle = reason_against(TransportKind::peer, world, queue);
  if (must_reach_peers(world)) {
    EXPECT_EQ(obstacle, "");
  }
  if (!obstacle.empty()) GTEST_SKIP() << obstacle;

  auto const transport = make_transport(TransportKind::automatic, world, queue, ring.messages());

  TransportDescription const description = transport->description();
  EXPECT_NE(description.text().find("peer memory"), std::string::npos) << description.text();
  if (tested_backend() == Backend::cuda && world.size() > 1) return;
  EXPECT_EQ(description.names(), "peer memory") << description.text();
  EXPECT_TRUE(transport->enqueues_only());
}

/// Which transport is the fastest depends on the machine. The first exchange is measured, the
/// second one chosen by its rates, and the third one, which is larger, measured again.
TEST_F(TransportTest, TransportChosenByRateMovesEveryByte) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  for (std::size_t const bytes : {std::size_t{100'000}, std::size_t{5000}, std::size_t{1} << 20}) {
    Ring const ring(world, {bytes, 1000, bytes, 257});
    auto const transport = make_fastest(world, queue, ring.messages(), Choice::by_rate);

    TransportDescription const description = transport->description();
    EXPECT_NE(description.parts.front().reasons.find(" GB/s"), std::string::npos)
        << description.text();
    EXPECT_EQ(description.names().find(" GB/s"), std::string::npos) << description.names();
    expect_messages_arrive(*transport, ring, queue);
  }
  TransportRates const& rates = remembered_rates(world);
  LinkRates const& measured = rates.within_host ? *rates.within_host : rates.any_host.value();
  EXPECT_EQ(measured.large_bytes, 2.0 * (1 << 20) + 1257);
}

TEST_F(TransportTest, AutoReportsWhyPeerMemoryIsUnavailable) {
  if (tested_backend() != Backend::cpu) GTEST_SKIP() << "about the memory that processes share";
  mpi::Communicator const world(MPI_COMM_WORLD);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit little = before;
  little.rlim_cur = 1000;  // limits the size of files, which includes shared memory
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world);

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  auto const transport = make_transport(TransportKind::automatic, world, queue, ring.messages());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);

  EXPECT_EQ(
      transport->description().text(),
      "mpi (/dev/shm, where processes share memory, has too little room: remove what killed runs "
      "left there, or raise ulimit -f)");
  expect_messages_arrive(*transport, ring, queue);
}

TEST_F(TransportTest, PeerMemoryIsOfferedUnlessThereIsAnObstacle) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());

  PeerMemory const memory(world, queue, 1000);

  EXPECT_EQ(memory.offer().valid, memory.obstacle().empty()) << memory.obstacle();
}

TEST(TransportOnTheCpu, NcclIsRefusedEarly) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue(Backend::cpu);

  EXPECT_THROW(check_transport(TransportKind::nccl, world, Backend::cpu), InputError);
  EXPECT_EQ(reason_against(TransportKind::nccl, world, queue),
            "transport \"nccl\" cannot work here: a run on the CPU has no device memory; use "
            "\"auto\" or \"mpi\"");
  EXPECT_NE(obstacle_to_nccl(world, queue), "");
}

TEST(TransportOnTheCpu, OtherKindsAreAccepted) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  for (TransportKind const kind :
       {TransportKind::automatic, TransportKind::staged, TransportKind::mpi, TransportKind::peer}) {
    EXPECT_NO_THROW(check_transport(kind, world, Backend::cpu)) << name(kind);
  }
}

/// MPI directly from the queue's memory if possible, else a second staged transport.
std::unique_ptr<Transport> make_other_than_staged(mpi::Communicator const& world, Queue& queue,
                                                  std::vector<Message> const& messages) {
  return must_work(TransportKind::mpi, world) ? make_mpi_transport(world, queue, messages)
                                              : make_staged_transport(world, queue, messages);
}

TEST_F(TransportTest, MixedAssignsMessagesToTransports) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world, {1000, 70'001, 0, 1, 255, 4096, 257, 30});
  auto const messages = ring.messages();
  std::vector<PartialTransport> shares(2);
  shares[0].messages = ring.every_second_pair(0);
  shares[0].transport = make_staged_transport(world, queue, chosen(messages, shares[0].messages));
  shares[1].messages = ring.every_second_pair(1);
  shares[1].transport = make_other_than_staged(world, queue, chosen(messages, shares[1].messages));

  auto const mixed =
      make_mixed_transport(std::move(shares), messages.size(), TransportDescription("both"));

  EXPECT_EQ(mixed->description().text(), "both");
  EXPECT_FALSE(mixed->enqueues_only());
  expect_messages_arrive(*mixed, ring, queue);
}

TEST_F(TransportTest, MixedAcceptsATransportWithoutMessages) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world);
  std::vector<PartialTransport> shares(2);
  shares[0].transport = make_other_than_staged(world, queue, {});
  shares[1].messages = {0, 1};
  shares[1].transport = make_staged_transport(world, queue, ring.messages());

  auto const mixed = make_mixed_transport(std::move(shares), 2, TransportDescription("one"));

  EXPECT_EQ(mixed->description().text(), "one");
  expect_messages_arrive(*mixed, ring, queue);
}

/// Ranks of other hosts need MPI; here all ranks are on one host, and use it in addition.
TEST_F(TransportTest, StagedByMpiMovesMessagesOfAnySize) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  for (std::vector<std::size_t> const& sizes :
       {odd_sizes, std::vector<std::size_t>{(std::size_t{3} << 20) + 5, 100}}) {
    Ring const ring(world, sizes);
    auto const transport = make_staged_mpi_transport(world, queue, ring.messages());

    expect_messages_arrive(*transport, ring, queue);
  }
}

/// More pieces than slots, and messages of different lengths, so the rings are at different places.
TEST_F(TransportTest, SharedRingMovesLongMessages) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world, {(std::size_t{11} << 20) + 5, (std::size_t{1} << 20) - 3, 300'000, 0});
  SharedShare shared = make_shared_transport(world, queue, ring.messages());
  if (world.local_size() == world.size() && tested_backend() == Backend::cpu) {
    EXPECT_EQ(shared.obstacle, "");
  }
  if (world.any(shared.share.messages.size() < 4)) {
    shared.share.transport.reset();
    GTEST_SKIP() << shared.obstacle;
  }

  expect_messages_arrive(*shared.share.transport, ring, queue);
}

/// Sets one byte of the first message to 0 before it is sent.
class Corrupting final : public Transport {
 public:
  Corrupting(std::unique_ptr<Transport> intact, std::size_t byte)
      : intact_(std::move(intact)), byte_(byte) {}

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("corrupting");
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return intact_->outgoing(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return intact_->incoming(i); }
  void begin(Queue& queue) override {
    fill_bytes(queue, outgoing(0) + byte_, 0, 1);
    intact_->begin(queue);
  }
  void finish(Queue& queue) override { intact_->finish(queue); }

 private:
  std::unique_ptr<Transport> intact_;
  std::size_t byte_;
};

/// One rank sends a wrong byte, another rank detects it, and all ranks are informed.
TEST_F(TransportTest, WrongByteOfATestMessageIsReportedOnAllRanks) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  Queue queue = make_queue(world.local_rank());
  Ring const ring(world);
  std::size_t const last = ring.messages().front().send_bytes - 1;
  for (std::size_t const byte : {std::size_t{0}, std::size_t{500}, last}) {
    auto transport = make_staged_transport(world, queue, ring.messages());
    if (world.is_root()) transport = std::make_unique<Corrupting>(std::move(transport), byte);

    EXPECT_FALSE(carries(world, queue, *transport, ring.messages())) << "byte " << byte;
  }
}

TEST(TransportKind, NamesMatchTheCaseFile) {
  for (TransportKind const kind : {TransportKind::automatic, TransportKind::staged,
                                   TransportKind::mpi, TransportKind::peer, TransportKind::nccl}) {
    EXPECT_EQ(transport_from_name(name(kind)), kind);
  }
  EXPECT_EQ(name(TransportKind::automatic), "auto");
  EXPECT_EQ(name(TransportKind::staged), "staged");
  EXPECT_EQ(name(TransportKind::mpi), "mpi");
  EXPECT_EQ(name(TransportKind::peer), "peer");
  EXPECT_EQ(name(TransportKind::nccl), "nccl");
}

TEST(TransportKind, UnknownNameIsRefusedWithTheKnownOnes) {
  try {
    (void)transport_from_name("pigeon");
    ADD_FAILURE() << "accepted";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(),
                 "there is no transport \"pigeon\"; the transports are \"auto\", \"staged\", "
                 "\"mpi\", \"peer\", \"nccl\"");
  }
}

}  // namespace
}  // namespace isotherm::test
