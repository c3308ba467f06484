#pragma once

#include <functional>
#include <span>

#include "decomposition/field/field_copy.hpp"
#include "decomposition/field/field_space.hpp"
#include "decomposition/field/value_refusal.hpp"

namespace isotherm {

/// A field of a grid whose points are shared among the ranks: this rank's values with their halo,
/// and what fills it. Every value is zero at first.
template <class Real>
class DistributedField {
 public:
  /// `space` outlives the field.
  explicit DistributedField(FieldSpace<Real>& space);

  [[nodiscard]] Subdomain const& subdomain() const { return space_->subdomain(); }
  [[nodiscard]] LocalBox owned() const { return local_.owned(); }
  [[nodiscard]] FieldView<Real> view() { return local_.view(); }
  [[nodiscard]] FieldView<Real const> view() const { return local_.view(); }
  /// The values and how they lie in memory.
  [[nodiscard]] Field<Real>& local() { return local_; }

  /// Enqueues setting the points of `box` to one value.
  void fill(LocalBox box, Real value);
  /// Enqueues field(p) = value(p), rounded once to Real, for the points of `box`.
  void evaluate(LocalBox box, PointFunction const& value);
  /// As Staging::change().
  void change(LocalBox box, std::function<void(LocalBox chunk, Real* dense)> const& change) {
    space_->staging().change(space_->queue(), local_.view(), box, change);
  }
  /// A value that is not finite was set at a point by change(), see check_evaluated().
  void note_not_finite(Index3 point) { space_->staging().note_not_finite(point); }
  /// Replaces the owned values by a dense array in host memory, x fastest. All ranks call it alike.
  /// @throws Error  where the array has another size than the owned points
  void write(std::span<Real const> dense);
  /// Copies the owned values to a dense array in host memory, x fastest; waits.
  /// @throws Error  as write()
  void read(std::span<Real> dense) const;
  /// Begins such a copy, of the values as they are after all that is enqueued; copy.drain() ends
  /// it.
  void take(FieldCopy& copy, std::span<Real> dense) const;

  /// Enqueues filling the halo. All ranks call it alike.
  void fill_halo();

  /// Throws ValueRefusal on every rank if a value that evaluate() set on any of them, on any field
  /// of the space, since the last call, is not finite: `fault` says what it is of, and names the
  /// point, on the rank that owns it. Collective.
  void check_evaluated(std::function<ValueFault(Index3 local)> const& fault) const;

 private:
  void check_size(std::size_t count) const;

  FieldSpace<Real>* space_;
  Field<Real> local_;
};

}  // namespace isotherm
