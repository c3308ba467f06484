#include "app/bench/measure/exchange_measurement.hpp"

#include <array>

#include "app/bench/measure/bench_timing.hpp"
#include "app/machine/memory_limits.hpp"
#include "decomposition/halo/halo_exchange.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

/// Length of a row of the field: one row is the smallest message.
constexpr std::int64_t row_points = RingBench::smallest_bytes / sizeof(float);

/// Returns the messages to the next and to the previous rank. The tag of a message is its
/// direction. It distinguishes two messages between the same ranks, as with two ranks or one.
std::vector<Message> ring_messages(mpi::Communicator const& ranks, std::size_t bytes) {
  int const next = (ranks.rank() + 1) % ranks.size();
  int const previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  return {{next, 0, 1, bytes, bytes}, {previous, 1, 0, bytes, bytes}};
}

/// Returns the extent of the field that is packed: two planes, each of the size of a message. A
/// plane consists of rows of 4 KiB, so any multiple of that is a valid message size.
Extent3 planes_of(std::size_t bytes) {
  return {row_points, static_cast<std::int64_t>(bytes / RingBench::smallest_bytes), 2};
}

/// Returns one of the planes.
LocalBox plane(Field<float> const& planes, std::size_t number) {
  LocalBox box = planes.owned();
  box.lower.z = static_cast<std::int64_t>(number);
  box.upper.z = box.lower.z + 1;
  return box;
}

/// Buffers and messages for transport through host memory, without overlap of its parts. `sends`
/// and `receives` are on the device; `host_sends` and `host_receives` are pinned memory, between
/// which MPI transfers.
struct StagedParts {
  StagedParts(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : sends(queue, Space::device, send_sizes(messages)),
        receives(queue, Space::device, receive_sizes(messages)),
        host_sends(queue, Space::pinned, send_sizes(messages)),
        host_receives(queue, Space::pinned, receive_sizes(messages)),
        set(ranks, placed(messages, host_sends, host_receives)) {}

  MessageBuffer sends;
  MessageBuffer receives;
  MessageBuffer host_sends;
  MessageBuffer host_receives;
  MessageSet set;
};

/// Sends and receives all messages of a set, and waits for both.
void send_and_receive(MessageSet& set) {
  set.post_receives();
  set.post_sends();
  // Receiving has no effect here except for waiting.
  while (set.next_received() < set.messages().size()) {
  }
  set.wait_for_sends();
}

}  // namespace

RingBench::RingBench(mpi::Communicator const& ranks, Device const& device, int repeat,
                     std::size_t bytes)
    : ranks_(ranks),
      repeat_(repeat),
      messages_(ring_messages(ranks, bytes)),
      queue_(device.backend, device.number),
      planes_(queue_, planes_of(bytes), {0, 0, 0}) {}

bool RingBench::fits(mpi::Communicator const& ranks, Device const& device, std::size_t bytes) {
  // On the device: two planes, two outgoing and two incoming messages, each of which a transport
  // may hold twice. In pinned memory: two outgoing messages, and two incoming ones twice.
  return fits_on_all(ranks, device, {10 * bytes, 6 * bytes});
}

// The constructor of a transport agrees with all ranks on whether it works, so either all measure
// or none.
ExchangeMeasurement RingBench::measure(TransportKind kind) {
  ExchangeMeasurement measured;
  measured.kind = kind;
  try {
    auto const transport = make_transport(kind, ranks_, queue_, messages_);
    measured.description = transport->description();
    measured.seconds = time_exchange(*transport);
  } catch (InputError const& error) {  // on every rank: the transport does not work here
    measured.obstacle = error.what();
    return measured;
  }
  for (Message const& message : messages_) {
    measured.bytes += static_cast<double>(message.send_bytes);
  }
  if (kind == TransportKind::staged) {
    measured.best_s = time_parts_of_staged();
  }
  return measured;
}

// begin() starts the transfer of what write() has packed into the outgoing buffers. finish() makes
// the received data available to later work of the queue.
double RingBench::time_exchange(Transport& transport) {
  return time_work(ranks_, queue_, repeat_, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      write(transport.outgoing(0), transport.outgoing(1));
      transport.begin(queue_);
      transport.finish(queue_);
    }
  });
}

// The parts of staged transport: packing and copies to pinned memory, MPI between pinned buffers,
// and copies back to the device. A transport without any overlap takes their sum.
double RingBench::time_parts_of_staged() {
  StagedParts parts(ranks_, queue_, messages_);
  Event copied_down(queue_);
  double const down_s = time_work(ranks_, queue_, repeat_, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      write(parts.sends.at(0), parts.sends.at(1));
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        copy_bytes(queue_, parts.host_sends.at(i), parts.sends.at(i), messages_[i].send_bytes);
      }
      copied_down.record(queue_);
      copied_down.wait();  // MPI does not wait for queues
    }
  });
  double const mpi_s = time_work(ranks_, queue_, repeat_, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) send_and_receive(parts.set);
  });
  double const up_s = time_work(ranks_, queue_, repeat_, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      for (std::size_t i = 0; i < messages_.size(); ++i) {
        copy_bytes(queue_, parts.receives.at(i), parts.host_receives.at(i),
                   messages_[i].receive_bytes);
      }
    }
  });
  return down_s + mpi_s + up_s;
}

// Each plane becomes one message.
void RingBench::write(std::byte* first, std::byte* second) {
  std::array<Parcel<float>, 2> const parcels{
      {{plane(planes_, 0), reinterpret_cast<float*>(first)},
       {plane(planes_, 1), reinterpret_cast<float*>(second)}}};
  pack<float>(queue_, planes_.view(), parcels);
}

namespace {

/// Measures the halo exchange in one precision.
template <class Real>
void measure_exchange_of(mpi::Communicator const& ranks, Device const& device,
                         Subdomain const& subdomain, int depth, int repeat,
                         ExchangeMeasurement& measured) {
  Queue queue(device.backend, device.number);
  std::int64_t const depth_z = subdomain.grid().dimension == 3 ? depth : 0;
  Field<Real> field(queue, subdomain.extent(), {depth, depth, depth_z});
  // Several steps per pass need values from the corners, too.
  HaloExchange<Real> exchange(ranks, subdomain, queue, depth, /*corners=*/depth > 1, measured.kind);
  measured.description = exchange.transport_name();
  measured.bytes = ranks.max(static_cast<double>(exchange.bytes_sent()));
  measured.seconds = time_work(ranks, queue, repeat, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      exchange.begin(field.view());
      exchange.finish(field.view());
    }
  });
}

}  // namespace

// As in a run, the exchange includes packing and unpacking of the field's faces.
ExchangeMeasurement measure_halo_exchange(mpi::Communicator const& ranks, Device const& device,
                                          Subdomain const& subdomain, Precision precision,
                                          int depth, TransportKind kind, int repeat) {
  ExchangeMeasurement measured;
  measured.kind = kind;
  try {
    with_precision(precision, [&]<class Real>(Real) {
      measure_exchange_of<Real>(ranks, device, subdomain, depth, repeat, measured);
    });
  } catch (InputError const& error) {  // on every rank: the transport does not work here
    measured.obstacle = error.what();
  }
  return measured;
}

}  // namespace isotherm
