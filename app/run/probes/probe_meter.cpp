#include "app/run/probes/probe_meter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "decomposition/field/means.hpp"
#include "decomposition/field/point_sampler.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

// One class for each kind of probe, chosen by std::visit on the variant of the case. No class moves
// the whole field: each transfers only the values that it needs.

namespace isotherm::app {

namespace {

using Rows = std::vector<std::vector<double>>;

/// Returns the field with the type of its values.
template <class Real>
FieldView<Real const> view_of(AnyFieldView const& field) {
  return std::get<FieldView<Real const>>(field);
}

/// The arguments that all meters have in common. The referenced objects outlive the meters.
struct MeterContext {
  mpi::Communicator const& ranks;
  Queue& queue;
  Subdomain const& subdomain;
  Problem const& problem;

  [[nodiscard]] PointSet excluded() const { return excluded_points(problem); }
};

/// The value at one point, interpolated between grid points.
template <class Real>
class PointProbe final : public ProbeMeter {
 public:
  PointProbe(MeterContext const& context, Probe::Point const& point)
      : samples_(context.ranks, context.queue, context.subdomain, {point.at}, context.excluded(),
                 gains_over_periods(context.problem)) {}
  Rows read(AnyFieldView const& field, double) override {
    return {samples_.read(view_of<Real>(field))};
  }

 private:
  PointSampler<Real> samples_;
};

/// Returns the Euclidean distance between two places, in the grid's unit of length.
double distance(PerAxis<double> const& a, PerAxis<double> const& b) {
  return std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

/// Values at equidistant places of a line, with the distance from its start and the coordinates.
template <class Real>
class LineProbe final : public ProbeMeter {
 public:
  LineProbe(MeterContext const& context, Probe::Line const& line)
      : samples_(context.ranks, context.queue, context.subdomain, places_on(line),
                 context.excluded(), gains_over_periods(context.problem)) {
    int const dimension = context.subdomain.grid().dimension;
    for (PerAxis<double> const& place : places_on(line)) {
      places_.push_back({distance(line.from, place)});
      places_.back().insert(places_.back().end(), place.begin(), place.begin() + dimension);
    }
  }
  Rows read(AnyFieldView const& field, double) override {
    Rows rows = places_;
    std::vector<double> const values = samples_.read(view_of<Real>(field));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(values[i]);
    return rows;
  }

 private:
  PointSampler<Real> samples_;
  Rows places_{};  ///< the columns that do not change: distance and coordinates
};

/// Mean, minimum and maximum of a plane of grid points.
template <class Real>
class PlaneProbe final : public ProbeMeter {
 public:
  PlaneProbe(MeterContext const& context, Probe::Plane const& plane)
      : meter_(context.ranks, context.queue, context.subdomain, plane.axis, plane.index,
               context.excluded(), shares_of_points(context.problem)) {}
  Rows read(AnyFieldView const& field, double) override {
    MeanAndExtremes const found = meter_.read(view_of<Real>(field));
    return {{found.mean, found.minimum, found.largest}};
  }

 private:
  PlaneMeter<Real> meter_;
};

/// Returns the volume of the grid's box, or its area in 2D.
double volume_of(Grid const& grid) {
  double volume = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    volume *= grid.measure(axis, grid.lower[axis], grid.upper(axis));
  }
  return volume;
}

/// Integral quantities of the whole field: minimum, maximum, mean, integral, and flows into the
/// box.
template <class Real>
class QuantitiesProbe final : public ProbeMeter {
 public:
  QuantitiesProbe(MeterContext const& context, Probe::Quantities asked)
      : ranks_(context.ranks),
        queue_(context.queue),
        problem_(context.problem),
        subdomain_(context.subdomain),
        meter_(context.ranks, context.queue, context.subdomain),
        volume_(volume_of(context.subdomain.grid())),
        asked_(std::move(asked)) {}
  Rows read(AnyFieldView const& field, double time_s) override {
    mean_.reset();
    rest_.reset();
    std::vector<double> row;
    for (Quantity const quantity : asked_.which) {
      if (quantity == Quantity::flux) {
        add_flows(view_of<Real>(field), time_s, row);
      } else if (quantity == Quantity::heat || quantity == Quantity::energy) {
        row.push_back(stored(quantity, view_of<Real>(field), time_s));
      } else {
        row.push_back(number(quantity, view_of<Real>(field)));
      }
    }
    return {row};
  }

 private:
  /// Measures a quantity that is a single number.
  double number(Quantity quantity, FieldView<Real const> field) {
    if (may_exclude_points(problem_)) return number_of_rest(quantity, field);
    if (quantity == Quantity::min || quantity == Quantity::max) {
      return meter_.extreme(field, quantity == Quantity::max);
    }
    // Two quantities need the mean, which is computed once per measurement.
    if (!mean_) mean_ = meter_.mean(field);
    return quantity == Quantity::integral ? *mean_ * volume_ : *mean_;
  }
  /// As number(), of the points that are not excluded.
  double number_of_rest(Quantity quantity, FieldView<Real const> field) {
    if (!rest_meter_) {
      rest_meter_.emplace(ranks_, queue_, subdomain_, problem_.grid.box(), -1,
                          excluded_points(problem_), shares_of_points(problem_));
    }
    // All quantities follow from one pass over the field.
    if (!rest_) rest_ = rest_meter_->read(field);
    switch (quantity) {
      case Quantity::min:
        return rest_->minimum;
      case Quantity::max:
        return rest_->largest;
      case Quantity::integral:
        return rest_->share > 0.0 ? rest_->mean * rest_->share * volume_ : 0.0;
      default:
        return rest_->mean;
    }
  }
  /// Measures the heat content or the energy. Collective.
  double stored(Quantity quantity, FieldView<Real const> field, double time_s) {
    if (!energies_) energies_.emplace(ranks_, queue_, subdomain_, problem_);
    return quantity == Quantity::heat ? energies_->heat(field) : energies_->energy(field, time_s);
  }
  /// Appends the flows in the order of their columns (inflow_names). Collective.
  void add_flows(FieldView<Real const> field, double time_s, std::vector<double>& row) {
    // Created here, so that runs without fluxes need no memory for them. Collective.
    if (!flows_) flows_.emplace(ranks_, queue_, subdomain_, problem_);
    HeatFlows const found = flows_->read(field, time_s);
    for (Face const face : faces(problem_.grid)) {
      if (!is(problem_, face, BoundaryKind::periodic)) row.push_back(found.faces[face]);
    }
    for (std::string const& name : names_of_patches(problem_)) {
      row.push_back(0.0);
      for (std::size_t i = 0; i < found.patches.size(); ++i) {
        if (name_of_patch(problem_, i) == name) row.back() += found.patches[i];
      }
    }
    for (std::size_t i = 0; i < found.fixed.size(); ++i) {
      FixedRegion const& region = problem_.medium.fixed[i];
      // Convection and radiation of a surface have columns of their own.
      if (transfers_without_radiation(region)) {
        row.push_back(found.fixed[i] - found.radiation[i]);
      }
      if (radiates(region)) row.push_back(found.radiation[i]);
    }
    row.push_back(found.source);
    row.insert(row.end(), found.named_sources.begin(), found.named_sources.end());
    if (!problem_.reaction.is_zero()) row.push_back(found.reaction);
    row.push_back(found.balance);
  }

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Problem const& problem_;
  Subdomain subdomain_;
  FieldMeter<Real> meter_;
  std::optional<HeatFlowMeter<Real>> flows_{};    ///< created by the first measurement of flows
  std::optional<double> mean_{};                  ///< of the present field, used by two quantities
  std::optional<ExactMeter<Real>> rest_meter_{};  ///< created if points can be excluded
  std::optional<MeanAndExtremes> rest_{};         ///< its results for the present field
  double volume_;
  Probe::Quantities asked_;
  std::optional<EnergyMeter<Real>> energies_{};  ///< created by the first heat or energy
};

/// Creates the meter for each kind of probe (a visitor).
template <class Real>
struct Maker {
  MeterContext const& context;
  std::unique_ptr<ProbeMeter> operator()(Probe::Point const& point) const {
    return std::make_unique<PointProbe<Real>>(context, point);
  }
  std::unique_ptr<ProbeMeter> operator()(Probe::Line const& line) const {
    return std::make_unique<LineProbe<Real>>(context, line);
  }
  std::unique_ptr<ProbeMeter> operator()(Probe::Plane const& plane) const {
    return std::make_unique<PlaneProbe<Real>>(context, plane);
  }
  std::unique_ptr<ProbeMeter> operator()(Probe::Quantities const& quantities) const {
    return std::make_unique<QuantitiesProbe<Real>>(context, quantities);
  }
};

/// The memory of one probe: a permanent part, and a temporary part while the probe is created or
/// read.
struct ProbeBytes {
  MemoryNeed kept{};
  std::size_t at_work = 0;  ///< temporary, on the host
};

/// Estimates the memory of each kind of probe (a visitor). The estimates are upper bounds.
template <class Real>
struct ByteCounter {
  mpi::Communicator const& ranks;
  Problem const& problem;
  Subdomain const& subdomain;
  Backend backend;

  /// Memory for sampling values at `places` places.
  [[nodiscard]] ProbeBytes of_places(std::size_t places) const {
    constexpr std::size_t place = 6 * sizeof(double);  // its cell in PointSampler
    constexpr std::size_t row = sizeof(Rows::value_type) + 8 * sizeof(double);
    constexpr std::size_t text = 256;       // of a row that waits to be written
    constexpr std::size_t point = 24 + 56;  // its index, and the run of points that contains it
    // Each place needs the 2^dimension points around it.
    std::size_t const listed = places << problem.grid.dimension;
    std::size_t const points =
        std::min(listed, static_cast<std::size_t>(problem.grid.point_count()));
    ProbeBytes bytes;
    bytes.kept.host = places * (place + row + text) + points * (point + sizeof(Real));
    bytes.kept.device = Buffer::footprint(backend, Space::device, points * sizeof(Real));
    bytes.at_work = places * (row + sizeof(double)) + 48 * listed + 24 * points;
    return bytes;
  }
  /// Memory for staging values of a box between device and host.
  [[nodiscard]] MemoryNeed of_staging(Extent3 extent) const {
    return {HostStaging<Real>::footprint(backend, extent), 0};
  }
  /// The points of this rank's part in a plane perpendicular to an axis.
  [[nodiscard]] Extent3 plane(int axis) const {
    Extent3 extent = subdomain.extent();
    extent[axis] = 1;
    return extent;
  }
  /// Returns the number of points of an extent.
  static std::size_t count(Extent3 extent) {
    return static_cast<std::size_t>(LocalBox{{}, extent}.point_count());
  }

  /// Returns the memory for the flags and shares of excluded points.
  [[nodiscard]] std::size_t mask_bytes(std::size_t points) const {
    return PointMask::bytes(points, static_cast<bool>(shares_of_points(problem)));
  }

  ProbeBytes operator()(Probe::Point const&) const { return of_places(1); }
  ProbeBytes operator()(Probe::Line const& line) const {
    return of_places(static_cast<std::size_t>(line.points));
  }
  ProbeBytes operator()(Probe::Plane const& asked) const {
    Extent3 const extent = plane(asked.axis);
    ProbeBytes bytes{of_staging(extent)};
    auto const [x, y, z] = extent;
    bytes.kept.host = count(extent) * sizeof(Real) + static_cast<std::size_t>(x + y + z) * 8;
    if (may_exclude_points(problem)) bytes.kept.host += mask_bytes(count(extent));
    return bytes;
  }
  /// Memory for lines of extremes and a part of a graded grid. Fluxes add what HeatFlowMeter keeps,
  /// heat and energy what EnergyMeter does. Collective.
  ProbeBytes operator()(Probe::Quantities const& asked) const {
    constexpr std::size_t part = std::size_t{1} << 20;
    std::size_t largest = 0;
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      largest = std::max(largest, count(plane(axis)));
    }
    auto const asks = [&](Quantity one) { return std::ranges::count(asked.which, one) > 0; };
    bool const fluxes = asks(Quantity::flux);
    bool const energies = asks(Quantity::heat) || asks(Quantity::energy);
    std::size_t const stagings = energies ? 3 : 2;
    ProbeBytes bytes;
    bytes.kept.device = stagings * HostStaging<Real>::footprint(backend, subdomain.extent()) +
                        Buffer::footprint(backend, Space::device, largest * sizeof(Real));
    bytes.kept.host = (largest + std::min(part, count(subdomain.extent()))) * sizeof(Real);
    if (energies) bytes.kept.host += EnergyMeter<Real>::footprint(subdomain);
    if (fluxes) {
      auto const found = HeatFlowMeter<Real>::footprint(ranks, backend, subdomain, problem);
      bytes.kept.device += found.device;
      bytes.kept.host += found.host;
    }
    // Chunks of values, and the flags of excluded points.
    if (may_exclude_points(problem)) {
      bytes.kept.host += part * sizeof(Real) + mask_bytes(count(subdomain.extent()));
    }
    return bytes;
  }
};

}  // namespace

/// Kept memory is added up; temporary memory is needed by one probe at a time.
MemoryNeed memory_of_probes(mpi::Communicator const& ranks, std::vector<Probe> const& probes,
                            Problem const& problem, Subdomain const& subdomain, Backend backend) {
  MemoryNeed all;
  std::size_t at_work = 0;  // only one probe is measured at a time, so the maximum is needed
  with_precision(problem.precision, [&]<class Real>(Real) {
    for (Probe const& probe : probes) {
      ProbeBytes const bytes =
          std::visit(ByteCounter<Real>{ranks, problem, subdomain, backend}, probe.where);
      all.host = sum_of_bytes(all.host, bytes.kept.host);
      all.device = sum_of_bytes(all.device, bytes.kept.device);
      at_work = std::max(at_work, bytes.at_work);
    }
  });
  all.host = sum_of_bytes(all.host, at_work);
  return all;
}

/// Dispatches on the precision and on the kind of probe.
std::unique_ptr<ProbeMeter> make_probe_meter(mpi::Communicator const& ranks, Queue& queue,
                                             Subdomain const& subdomain, Problem const& problem,
                                             Probe const& probe) {
  MeterContext const context{ranks, queue, subdomain, problem};
  std::unique_ptr<ProbeMeter> meter;
  with_precision(problem.precision,
                 [&]<class Real>(Real) { meter = std::visit(Maker<Real>{context}, probe.where); });
  return meter;
}

std::int64_t rows_of(Probe const& probe) {
  auto const* const line = std::get_if<Probe::Line>(&probe.where);
  return line == nullptr ? 1 : line->points;
}

}  // namespace isotherm::app
