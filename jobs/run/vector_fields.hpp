#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"
#include "solver/discretise/point_vectors.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// The fields of vectors that a case asks for, made from the field's values in host memory.
class VectorFields {
 public:
  /// What is passed by reference outlives the object. Collective.
  VectorFields(mpi::Communicator const& ranks, Case const& chosen, Subdomain const& subdomain);

  /// Takes the conditions at faces as they are at a moment, that of the values that follow.
  void look_at(double time_s);
  /// Makes the vectors of these values. Collective; on any thread.
  /// @throws OutOfRange  on every rank, where the field's type cannot hold some of them
  void make(mpi::Communicator const& ranks, ConstValues values);
  /// Adds those that make() has made.
  template <class Real>
  void append_to(std::vector<ExtraField<Real>>& fields) const;

  /// Host memory that an object takes for so many points of a rank.
  static std::size_t bytes(Case const& chosen, std::size_t points);

 private:
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
  std::deque<Vectors> all_{};
};

}  // namespace isotherm
