#include "app/post/pictures/stored_field.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "app/machine/memory_limits.hpp"
#include "app/post/fields/field_expression.hpp"
#include "app/run/output/field_picture.hpp"
#include "case/basics/text/wording.hpp"
#include "case/data/data_field.hpp"
#include "case/read_case.hpp"
#include "decomposition/grid/nearest_plane.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/snapshot_read.hpp"
#include "solver/discretise/point_constraints.hpp"

namespace isotherm::app {

namespace {

/// Reads a description on all ranks. Collective.
SnapshotInfo description(mpi::Communicator const& ranks, std::filesystem::path const& path) {
  SnapshotInfo info;
  rethrow_on_all_ranks(ranks, [&] { info = read_snapshot_info(path); });
  return info;
}

Subdomain own_part(mpi::Communicator const& ranks, Grid const& grid) {
  return {grid, choose_decomposition(grid, ranks.size()), ranks.rank()};
}

/// Returns the indices of the points of one axis in another grid; empty if one of them is no point
/// of that grid.
std::vector<std::int64_t> indices_in(Grid const& other, Grid const& grid, int axis) {
  constexpr double tolerance = 1e-6;  // of a spacing: coordinates are rounded
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < grid.points[axis]; ++i) {
    double const place = grid.coordinate(axis, i);
    std::int64_t const index = nearest_plane(other, axis, place);
    double const gap = std::min(grid.spacing[axis], other.spacing[axis]);
    if (std::abs(other.coordinate(axis, index) - place) > tolerance * gap) return {};
    indices.push_back(index);
  }
  return indices;
}

/// True if the text is that of a case with functions of a Python program, which the text lacks.
bool has_given_functions(std::string const& text) {
  return text.find("was given by a program") != std::string::npos;
}

}  // namespace

StoredField::StoredField(mpi::Communicator const& ranks, std::filesystem::path path)
    : path_(std::move(path)),
      info_(description(ranks, path_)),
      derivation_(derivation_of(info_.state)),
      subdomain_(own_part(ranks, info_.grid)) {
  options_.field = info_.field;
  try {
    read_case(ranks);
    if (case_) use_problem(ranks);
  } catch (InputError const&) {  // on every rank: a file of the case is missing
    case_.reset();
    options_ = {};
    options_.field = info_.field;
    excluded_ = {};
  }
  if (!derivation_.same_quantity) options_.look.label = one_line(derivation_.quantity, 80);
  options_.title = title();
}

void StoredField::read_case(mpi::Communicator const& ranks) {
  if (info_.case_text.empty() || has_given_functions(info_.case_text)) return;
  rethrow_on_all_ranks(ranks, [&] {
    case_ = std::make_unique<Case const>(
        parse_case_file(info_.case_text, "case.toml", std::vector<std::string>{}));
  });
}

void StoredField::use_problem(mpi::Communicator const& ranks) {
  options_.look = case_->output.look;
  PictureLook& look = options_.look;
  if (!derivation_.same_quantity) {
    // The range and the arrows of the case are those of u.
    look.values = {};
    look.arrows = false;
  }
  bool const same_axes =
      derivation_.same_places && case_->problem.grid.dimension == info_.grid.dimension;
  // Boxes of points are those of the case; only a whole field has the same.
  if (!same_axes || case_->problem.grid.points != info_.grid.points) look.box = {};
  if (!same_axes) look.marks.clear();
  bool const fits = same_axes && find_points();
  if (fits) return use_points(ranks);
  // A plane may lie outside of this grid. A projected field has fewer axes.
  Extent3 const points = info_.grid.points;
  bool const has_all_axes = case_->problem.grid.dimension == info_.grid.dimension &&
                            std::min({points.x, points.y, points.z}) > 1;
  for (int axis = 0; axis < 3; ++axis) {
    std::optional<double>& plane = look.planes[axis];
    bool const exists = plane && has_all_axes && *plane >= info_.grid.lower[axis] &&
                        *plane <= info_.grid.upper(axis);
    if (!exists) plane.reset();
  }
  if (same_axes) use_surfaces(ranks);
}

bool StoredField::find_points() {
  for (int axis = 0; axis < 3; ++axis) {
    index_in_case_[axis] = indices_in(case_->problem.grid, info_.grid, axis);
    if (index_in_case_[axis].empty()) return false;
  }
  return true;
}

void StoredField::use_points(mpi::Communicator const& ranks) {
  Problem const& problem = case_->problem;
  auto const in_case = [this](Index3 at) {
    Index3 index;
    for (int axis = 0; axis < 3; ++axis) {
      index[axis] = index_in_case_[axis][static_cast<std::size_t>(at[axis])];
    }
    return index;
  };
  GlobalBox const owned = subdomain_.owned_global();
  Index3 const last = in_case(owned.upper - Index3{1, 1, 1});
  keep_data(ranks, case_->data, {in_case(owned.lower), last + Index3{1, 1, 1}});
  PictureOptions const of_case = picture_options(problem);
  if (of_case.material) {
    options_.material = [of_case, in_case](Index3 at) { return of_case.material(in_case(at)); };
  }
  options_.material_at = of_case.material_at;
  if (derivation_.same_quantity) {
    options_.conductivity = [of_case, in_case](Index3 at) {
      return of_case.conductivity(in_case(at));
    };
  }
  if (!may_exclude_points(problem)) return;
  rethrow_on_all_ranks(ranks, [&] {
    excluded_ = PointMask(owned, [&](Index3 at) { return is_excluded(problem, in_case(at)); });
  });
}

void StoredField::use_surfaces(mpi::Communicator const& ranks) {
  PlaceMaterial const at_place = picture_options(case_->problem).material_at;
  if (!at_place) return;
  auto const at_point = [at_place, &grid = info_.grid](Index3 at) {
    return at_place({grid.coordinate(0, at.x), grid.coordinate(1, at.y), grid.coordinate(2, at.z)});
  };
  options_.material = at_point;
  options_.material_at = at_place;
  if (!may_exclude_points(case_->problem)) return;
  rethrow_on_all_ranks(ranks, [&] {
    excluded_ = PointMask(subdomain_.owned_global(),
                          [&](Index3 at) { return at_point(at) == excluded_material; });
  });
}

std::vector<double> StoredField::values(mpi::Communicator const& ranks,
                                        std::optional<std::string> const& expression) const {
  Device const device = choose_device(ranks, DeviceChoice::cpu);
  require_memory(ranks, device, {MemoryNeed{0, dense_bytes<double>(subdomain_.extent())}},
                 "picture", "use more hosts");
  if (expression) {
    // Fail before all values are read.
    rethrow_on_all_ranks(ranks, [&] { (void)expression_of(*expression, info_.grid); });
  }
  std::vector<double> all(static_cast<std::size_t>(subdomain_.owned().point_count()));
  read_snapshot_box(ranks, path_, info_, info_.field, subdomain_.owned_global(), all.data());
  if (expression) {
    rethrow_on_all_ranks(ranks, [&] { evaluate(*expression, subdomain_, info_.time_s, all); });
  }
  return all;
}

std::string StoredField::title(bool with_state) const {
  std::string name = one_line(case_ ? case_->title : path_.filename().string(), 120);
  // A moved or combined field is not the solution of its case.
  if (case_ && (!derivation_.same_places || !derivation_.same_quantity)) {
    name += " (" + one_line(derivation_.by, 40) + ")";
  }
  if (!with_state || !case_) return name;
  // A steady field does not depend on the number of iterations.
  if (case_->problem.equation != Equation::diffusion) return name;
  return title_at_time(name, info_.time_s, options_.look.time_unit);
}

}  // namespace isotherm::app
