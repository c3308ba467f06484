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
///     FieldSpace<double> space(ranks, subdomain, queue, {.depth = 1}, TransportKind::automatic);
///     DistributedField<double> u(space);
///     u.evaluate(u.owned(), initial_value);    // enqueued
///     u.fill_halo();                           // every rank
///     std::vector<double> values(static_cast<std::size_t>(u.owned().point_count()));
///     u.read(values);                          // x fastest; waits
template <class Real>
class DistributedField {
 public:
  /// @param space  must outlive the field
  explicit DistributedField(FieldSpace<Real>& space);

  [[nodiscard]] Subdomain const& subdomain() const { return space_->subdomain(); }
  [[nodiscard]] LocalBox owned() const { return local_.owned(); }
  [[nodiscard]] FieldView<Real> view() { return local_.view(); }
  [[nodiscard]] FieldView<Real const> view() const { return local_.view(); }
  /// This rank's values with their memory layout.
  [[nodiscard]] Field<Real>& local() { return local_; }

  /// Enqueues setting the points of `box` to one value.
  void fill(LocalBox box, Real value);
  /// Enqueues field(p) = value(p), rounded once to Real, for the points of `box`. check_evaluated()
  /// reports values that are not finite.
  void evaluate(LocalBox box, PointFunction const& value);
  /// See Staging::change().
  void change(LocalBox box, std::function<void(LocalBox chunk, Real* dense)> const& change) {
    space_->staging().change(space_->queue(), local_.view(), box, change);
  }
  /// Records that change() has set a value that is not finite, for check_evaluated().
  void note_not_finite(Index3 point) { space_->staging().note_not_finite(point); }
  /// Replaces the owned values by a dense array in host memory, x fastest. All ranks must call it,
  /// because the neighbours' halos become outdated.
  /// @throws Error  if the size of the array differs from the number of owned points
  void write(std::span<Real const> dense);
  /// Copies the owned values to a dense array in host memory, x fastest. Waits for the queue.
  /// @throws Error  as write()
  void read(std::span<Real> dense) const;
  /// Starts such a copy of the values as all work enqueued so far leaves them. copy.drain()
  /// completes it.
  void take(FieldCopy& copy, std::span<Real> dense) const;

  /// Enqueues filling the halo. All ranks must call it in the same order.
  void fill_halo();

  /// Throws ValueRefusal on every rank if evaluate() has set a value that is not finite on any
  /// rank. It covers all fields of the space since the last call. Collective.
  /// @param fault  describes the value and its point; called on a rank that has such a point
  void check_evaluated(std::function<ValueFault(Index3 local)> const& fault) const;

 private:
  void check_size(std::size_t count) const;

  FieldSpace<Real>* space_;
  Field<Real> local_;
};

}  // namespace isotherm
