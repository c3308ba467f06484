#pragma once

#include <functional>
#include <span>

#include "decomposition/field/field_space.hpp"
#include "decomposition/field/staging/field_copy.hpp"
#include "decomposition/field/value_refusal.hpp"

namespace isotherm {

/// A field of a grid whose points are distributed among the ranks. Each rank has the values of its
/// own points and of their halo (ghost layer). All values are initially zero.
///
/// The field knows whether its halo holds the neighbours' present values. Each function that writes
/// owned points makes it stale, and with_halo() fills it if it is stale. Ranks exchange messages
/// for that. So all of them must call every non-const function, in the same order. A rank that has
/// nothing to write passes an empty box.
///
///     FieldSpace<double> space(ranks, subdomain, queue, {.depth = 1}, TransportKind::automatic);
///     DistributedField<double> u(space);
///     u.evaluate(u.owned(), initial_value);    // enqueued
///     sweep(u.with_halo());                    // a FieldView to read
///     std::vector<double> values(static_cast<std::size_t>(u.owned().point_count()));
///     u.read(values);                          // x fastest; waits
template <class Real>
class DistributedField {
 public:
  /// @param space  must outlive the field
  explicit DistributedField(FieldSpace<Real>& space);

  [[nodiscard]] Subdomain const& subdomain() const { return space_->subdomain(); }
  [[nodiscard]] LocalBox owned() const { return local_.owned(); }
  /// Returns a view to read owned points.
  [[nodiscard]] FieldView<Real const> view() const { return local_.view(); }
  /// Enqueues filling the halo if it is stale, and returns a view to read all points.
  [[nodiscard]] FieldView<Real const> with_halo() {
    begin_halo();
    finish_halo();
    return view();
  }
  /// Returns a view to write owned points, and makes the halo stale. Use it before the next call of
  /// with_halo().
  [[nodiscard]] FieldView<Real> writable() {
    halo_ = Halo::stale;
    return local_.view();
  }

  /// Enqueues setting the points of `box` to one value.
  void fill(LocalBox box, Real value);
  /// Enqueues field(p) = value(p), rounded once to Real, for the points of `box`. check_evaluated()
  /// reports values that are not finite.
  void evaluate(LocalBox box, PointFunction const& value);
  /// See HostStaging::change().
  void change(LocalBox box, std::function<void(LocalBox chunk, Real* dense)> const& change);
  /// Records that change() has set a value that is not finite, for check_evaluated().
  void note_not_finite(Index3 point) { space_->staging().note_not_finite(point); }
  /// Replaces the owned values by a dense array in host memory, x fastest.
  /// @throws Error  if the size of the array differs from the number of owned points
  void write(std::span<Real const> dense);
  /// Copies the owned values to a dense array in host memory, x fastest. Waits for the queue.
  /// @throws Error  as write()
  void read(std::span<Real> dense) const;
  /// Starts such a copy. It holds the values as the work enqueued before leaves them.
  /// copy.move_to_host() completes it.
  void take(FieldCopy& copy, std::span<Real> dense) const;

  /// The two halves of filling a stale halo. Work enqueued in between overlaps with the exchange if
  /// HaloFiller::overlaps(); it must not write owned points.
  void begin_halo();
  void finish_halo();
  /// Enables halo forwarding by sweeps between the two fields (HaloFiller::forward_between).
  void forward_with(DistributedField& other) {
    space_->halo().forward_between({&local_, &other.local_});
  }
  /// Declares that the pass enqueued last has written all owned points, and has forwarded those
  /// that HaloFiller::forwards() asks for. Their neighbours have filled this rank's halo likewise.
  void swept() {
    if (space_->halo().swept()) halo_ = Halo::forwarded;
  }

  /// Throws ValueRefusal on every rank if evaluate() has set a value that is not finite on any
  /// rank. It covers all fields of the space since the last call. Collective.
  /// @param fault  describes the value and its point; called on a rank that has such a point
  void check_evaluated(std::function<ValueFault(Index3 local)> const& fault) const;

 private:
  /// State of the halo. It decides what finish_halo() has to do.
  enum class Halo {
    stale,      ///< differs from the neighbours' values, or may differ
    forwarded,  ///< the neighbours' sweeps write it
    filled
  };
  void check_size(std::size_t count) const;

  FieldSpace<Real>* space_;
  Field<Real> local_;
  Halo halo_ = Halo::stale;  ///< the same on every rank, since all ranks make the same calls
};

}  // namespace isotherm
