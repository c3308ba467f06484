#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/discretise/flux/point_vectors.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

/// The vector fields that [output] fields lists (gradient, flux density), computed from values in
/// host memory. Each vector has three components, also in 2D.
///
///   VectorFields vectors(ranks, chosen, subdomain);
///   vectors.set_time(time_s);
///   vectors.make(ranks, values);
///   vectors.append_to(extra_fields);
class VectorFields {
 public:
  /// All references must outlive the object. Collective.
  VectorFields(mpi::Communicator const& ranks, Case const& chosen, Subdomain const& subdomain);

  /// Evaluates the boundary conditions at the time of the values that follow. Not collective.
  void set_time(double time_s);
  /// Computes the vectors of these values. Collective; on any thread.
  /// @throws OutOfRange  on every rank, if some vectors exceed the range of the field's type
  void make(mpi::Communicator const& ranks, ConstValues values);
  /// Appends the fields that make() has computed. They refer to memory of this object, which the
  /// next make() overwrites.
  /// @tparam Real  type of the case's values
  /// @pre make() was called
  template <class Real>
  void append_to(std::vector<ExtraField<Real>>& fields) const;

  /// Returns the host memory in bytes of an object for `points` points of a rank; uncountable_bytes
  /// if the number overflows.
  static std::size_t bytes(Case const& chosen, std::size_t points);

 private:
  /// One vector field: how it is computed, and its values.
  struct Vectors {
    Vectors(mpi::Communicator const& ranks, std::string field, Subdomain const& subdomain,
            Problem const& problem, VectorKind kind)
        : name(std::move(field)), maker(ranks, subdomain, problem, kind) {}
    std::string name;
    PointVectors maker;
    HostValues values{};
  };

  Subdomain const& subdomain_;
  Precision precision_;
  PerAxis<double> gains_;      ///< of u over the period of each axis
  std::deque<Vectors> all_{};  ///< a deque, since PointVectors cannot be moved
};

}  // namespace isotherm::app
