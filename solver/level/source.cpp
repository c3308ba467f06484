#include "solver/level/source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <span>

#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/level/evaluation_fault.hpp"

namespace isotherm {

namespace {

/// The contribution of one face to the source term of its points: a Neumann face, or the end of a
/// periodic axis with a mean gradient.
struct NeumannTerm {
  int axis;
  std::int64_t plane;                ///< global index of the face's points along the axis
  double factor;                     ///< of the given value: weight · 2 h, for a flux divided by D
  ScalarFunction const* derivative;  ///< the given derivative or flux
};

/// Returns the owned points next to an end of an axis, which may be periodic.
LocalBox points_at_end(Problem const& problem, Subdomain const& subdomain, Face face) {
  GlobalBox box = problem.grid.box();
  std::int64_t const n = problem.grid.points[face.axis];
  (face.upper ? box.lower : box.upper)[face.axis] = face.upper ? n - 1 : 1;
  return subdomain.to_local(intersection(box, subdomain.owned_global()));
}

/// Returns the terms of all faces with a flux.
std::vector<NeumannTerm> neumann_terms(Problem const& problem, Scheme const& scheme) {
  std::vector<NeumannTerm> terms;
  for (Face const face : faces(problem.grid)) {
    if (!has_flux(problem, face)) continue;
    BoundaryCondition const& of_face = condition(problem, face);
    // A ghost point beyond the face mirrors its neighbour, u(−h) = u(h) + 2 h g; the mirrored part
    // is in the operator, 2 h g in the source term. A flux is D g here, since κ = 1.
    double const per_value = of_face.is_flux ? 1.0 / problem.diffusivity : 1.0;
    double reach = 2.0 * problem.grid.spacing[face.axis] * per_value;
    // The neighbour across a periodic end has the wrapped value plus or minus the gain.
    if (of_face.kind == BoundaryKind::periodic) {
      reach = (face.upper ? 1.0 : -1.0) * problem.grid.length(face.axis);
    }
    terms.push_back({face.axis, face.upper ? problem.grid.points[face.axis] - 1 : 0,
                     scheme.weight[face.axis] * reach, &of_face.value});
  }
  return terms;
}

/// Returns the boxes of this rank's unknowns whose source term varies in time. Every rank has the
/// same number of boxes, because evaluation is collective; some may be empty.
std::vector<LocalBox> varying_points(Problem const& problem, Subdomain const& subdomain) {
  LocalBox const unknown = unknown_points(problem, subdomain);
  // A varying source may vary anywhere.
  if (problem.source.varies_in_time || films_vary_in_time(problem)) return {unknown};
  std::vector<LocalBox> boxes;
  for (Face const face : faces(problem.grid)) {
    if (!flux_varies_in_time(problem, face)) continue;
    boxes.push_back(intersection(unknown, face_points(subdomain, face)));
  }
  return boxes;
}

/// Returns the source term per step in float64: source_factor · f, plus weight · 2 h g for each
/// Neumann face that the point lies on, in the order of the faces; likewise for mean gradients.
/// @param source  evaluates the source at rows; null: problem.source
PointFunction source_per_step(Problem const& problem, Scheme const& scheme,
                              Subdomain const& subdomain, double time_s,
                              RowFunction const* source) {
  return [&problem, source, terms = neumann_terms(problem, scheme), factor = scheme.source_factor,
          first = subdomain.owned_global().lower, time_s](Index3 local, std::span<double> values) {
    Index3 global = local + first;
    source != nullptr ? (*source)(global, time_s, values)
                      : evaluate_row(problem.source, problem.grid, global, time_s, values);
    double const scale = factor;  // a local copy, which no value can alias
    for (double& value : values) value *= scale;
    if (terms.empty()) return;
    for (std::size_t i = 0; i < values.size(); ++i, ++global.x) {
      for (NeumannTerm const& term : terms) {
        // Only points on the face receive its flux.
        if (global[term.axis] != term.plane) continue;
        values[i] += term.factor * value_at(*term.derivative, problem.grid, global, time_s);
      }
    }
  };
}

/// The largest kind of value in a box, in Real: zero, non-zero but subnormal or underflown, or
/// normal.
enum class Size { zero, vanishes, normal };
/// Finds that kind over this rank's points, and stops at the first normal value. Runs on all
/// threads.
template <class Real>
Size size_in(LocalBox points, PointFunction const& value) {
  std::atomic<Size> size = Size::zero;
  for_each_row(points, [&](std::int64_t j, std::int64_t k) {
    std::array<double, PointFunction::maximum>
        values;  // NOLINT(*-member-init): set before it is read
    for (Index3 first{points.lower.x, j, k}; first.x < points.upper.x;) {
      // A normal value found by any thread ends the search.
      if (size == Size::normal) return;
      auto const left = static_cast<std::size_t>(points.upper.x - first.x);
      std::span const piece(values.data(), std::min(left, PointFunction::maximum));
      value(first, piece);
      for (double const found : piece) {
        if (std::isnormal(static_cast<Real>(found))) {
          size = Size::normal;
          return;
        }
        // This must not override a normal value that another thread has found.
        Size expected = Size::zero;
        if (found != 0.0) size.compare_exchange_strong(expected, Size::vanishes);
      }
      first.x += static_cast<std::int64_t>(piece.size());
    }
  });
  return size;
}

/// Returns the message about a source term that underflows everywhere. It names the source, or if
/// that is zero, the first face with a flux.
ValueFault vanishing_source(Problem const& problem) {
  ValueFault fault{"equation.source", "the source"};
  if (problem.source.is_zero()) {
    for (Face const face : faces(problem.grid)) {
      if (!has_flux(problem, face)) continue;
      fault = {"boundary." + name(face), "the flux through the face " + name(face)};
      break;
    }
  }
  bool const float32 = problem.precision == Precision::float32;
  fault.text += std::string(" is not 0, but in units of the grid it is too small for ") +
                name(problem.precision) + " everywhere (" +
                (float32 ? "set [grid] precision = \"float64\", or choose" : "choose") +
                " other units)";
  return fault;
}

/// True if any part of the source term varies in time.
bool varies(Problem const& problem) {
  auto const flux_varies = [&](Face face) { return flux_varies_in_time(problem, face); };
  return problem.source.varies_in_time || films_vary_in_time(problem) ||
         std::ranges::any_of(faces(problem.grid), flux_varies);
}

/// Refuses a source that underflows in Real everywhere. A source that fades to zero at some points,
/// like a Gaussian, is accepted; so is one that varies in time and may grow. Collective.
template <class Real>
void require_no_underflow(Problem const& problem, FieldSpace<Real>& space,
                          PointFunction const& value) {
  if (varies(problem)) return;
  Size const mine = size_in<Real>(unknown_points(problem, space.subdomain()), value);
  // One normal value on any rank is enough.
  bool const any_normal = space.ranks().any(mine == Size::normal);
  if (any_normal || !space.ranks().any(mine == Size::vanishes)) return;
  throw ValueRefusal(vanishing_source(problem));
}

}  // namespace

template <class Real>
SourceField<Real>::SourceField(Problem const& problem, Scheme const& scheme,
                               FieldSpace<Real>& space, std::optional<bool> on_backend)
    : problem_(&problem),
      queue_(&space.queue()),
      scheme_(scheme),
      field_(space),
      varying_(varying_points(problem, space.subdomain())),
      unknown_(unknown_points(problem, space.subdomain())) {
  if (is_heterogeneous(problem)) units_ = medium_units(problem);
  field_.evaluate(unknown_, at_time(problem.start_time_s));
  field_.check_evaluated([&](Index3 point) {
    return faulty_source(problem, space.subdomain(), point, problem.start_time_s);
  });
  // If the source underflowed everywhere, another problem would be solved without notice.
  require_no_underflow(problem, space, at_time(problem.start_time_s));
  bool const is_device = space.queue().backend() == Backend::cuda;
  if (!device_can_evaluate_source(problem) || !on_backend.value_or(is_device)) {
    if (problem.source.varies_in_time) {
      rows_.emplace(problem.source, problem.grid, space.subdomain().owned_global());
    }
    return;
  }
  on_backend_.emplace(problem, units_, space.subdomain(), space.queue());
  for (Face const face : faces(problem.grid)) {
    if (!has_flux(problem, face)) continue;
    with_flux_.push_back(intersection(unknown_, points_at_end(problem, space.subdomain(), face)));
  }
}

template <class Real>
PointFunction SourceField<Real>::at_time(double time_s) const {
  Subdomain const& subdomain = field_.subdomain();
  RowFunction const* const rows = rows_ ? &*rows_ : nullptr;
  return units_ ? finite_volume_source(*problem_, *units_, subdomain, time_s, rows)
                : source_per_step(*problem_, scheme_, subdomain, time_s, rows);
}

template <class Real>
void SourceField<Real>::evaluate(double time_s) {
  if (!on_backend_) return field_.evaluate(unknown_, at_time(time_s));
  on_backend_->evaluate(*queue_, field_.writable(), unknown_, time_s, scheme_.source_factor);
  if (with_flux_.empty()) return;
  PointFunction const value = at_time(time_s);
  for (LocalBox const points : with_flux_) field_.evaluate(points, value);
}

template <class Real>
void SourceField<Real>::set_time(double time_s) {
  if (varying_.empty()) return;
  if (on_backend_) return evaluate(time_s);
  PointFunction const value = at_time(time_s);
  for (LocalBox const points : varying_) field_.evaluate(points, value);
}

template <class Real>
void SourceField<Real>::set_scheme(Scheme const& scheme, double time_s) {
  scheme_ = scheme;
  if (units_) return;  // the heat flow into a volume does not depend on the step
  evaluate(time_s);
}

template <class Real>
std::optional<expressions::GridProgram::Fault> SourceField<Real>::take_fault() {
  return on_backend_ ? on_backend_->take_fault(*queue_) : std::nullopt;
}

template class SourceField<float>;
template class SourceField<double>;

}  // namespace isotherm
