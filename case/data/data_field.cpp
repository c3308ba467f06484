#include "case/data/data_field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "decomposition/grid/point_name.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/datasets/value_dataset.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/number_text.hpp"

namespace isotherm {
namespace {

/// Size of the pieces in which values are checked, in values (4 MiB as float64).
constexpr std::int64_t values_at_once = std::int64_t{1} << 19;

/// The target of a ScalarFunction that reads a data field, which data_of() recognises.
struct DataFunction {
  std::shared_ptr<DataField> field;

  double operator()(double x, double y, double z, double /*time_s*/) const {
    return field->at(x, y, z);
  }
};

/// Returns the indices at which the case reader samples an axis of n points. They are the middle,
/// and the points that divide the axis into eight and into three parts.
std::vector<std::int64_t> sampled_indices(std::int64_t n) {
  std::vector<std::int64_t> all{n / 2};
  for (std::int64_t const parts : {8, 3}) {
    for (std::int64_t part = 0; part <= parts; ++part) all.push_back((n - 1) * part / parts);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Suggests the dataset with the nearest name, or lists the datasets of the file.
std::string advice_on(std::string const& name, std::filesystem::path const& file) {
  auto const names = names_in_root(file);
  std::string const bare = name.substr(name.starts_with('/') ? 1 : 0);
  std::string const nearest = nearest_name(bare, names);
  if (!nearest.empty() && nearest != bare) return " (did you mean " + in_quotes(nearest) + "?)";
  return names.empty() ? "" : " (it contains " + one_line(join(names), 200) + ')';
}

}  // namespace

/// The values at the intersections of some planes of points along each axis: a tensor-product
/// sample, which all ranks hold in full.
///
/// Values are stored as bit patterns. Each rank fills in those of its share and leaves the others
/// 0, so a sum over the ranks assembles all of them exactly.
class DataField::Sample {
 public:
  explicit Sample(Extent3 points) {
    std::size_t count = 1;
    for (int axis = 0; axis < 3; ++axis) {
      auto const n = static_cast<std::size_t>(axis);
      looked_at_[n] = sampled_indices(points[axis]);
      count *= looked_at_[n].size();
    }
    bits_.resize(count);
  }

  /// Returns the position of a point's value in the sample; empty if the point is not part of it.
  [[nodiscard]] std::optional<std::size_t> place_of(Index3 point) const {
    std::size_t place = 0;
    for (int axis = 2; axis >= 0; --axis) {
      auto const& of_axis = looked_at_[static_cast<std::size_t>(axis)];
      auto const found = std::ranges::lower_bound(of_axis, point[axis]);
      if (found == of_axis.end() || *found != point[axis]) return std::nullopt;
      place = place * of_axis.size() + static_cast<std::size_t>(found - of_axis.begin());
    }
    return place;
  }

  /// Stores those values of a box that belong to the sample.
  void take(GlobalBox box, std::vector<double> const& values) {
    Extent3 const n = box.extent();
    for_each_in(box, [&](Index3 point) {
      Index3 const at = point - box.lower;
      double const value = values[static_cast<std::size_t>(at.x + n.x * (at.y + n.y * at.z))];
      bits_[*place_of(point)] = std::bit_cast<std::uint64_t>(value);
    });
  }

  /// Combines the shares of all ranks. Collective.
  void share(mpi::Communicator const& ranks) { bits_ = ranks.sum(std::move(bits_)); }

  /// Returns the value of a point, if it is part of the sample.
  [[nodiscard]] std::optional<double> at(Index3 point) const {
    auto const place = place_of(point);
    return place ? std::optional(std::bit_cast<double>(bits_[*place])) : std::nullopt;
  }

 private:
  /// Calls `work` for the points of the sample in a box.
  template <class Work>
  void for_each_in(GlobalBox box, Work const& work) const {
    auto const along = [&](int axis) {
      auto const& all = looked_at_[static_cast<std::size_t>(axis)];
      return std::pair{std::ranges::lower_bound(all, box.lower[axis]),
                       std::ranges::lower_bound(all, box.upper[axis])};
    };
    auto const [x_begin, x_end] = along(0);
    auto const [y_begin, y_end] = along(1);
    auto const [z_begin, z_end] = along(2);
    for (auto z = z_begin; z != z_end; ++z) {
      for (auto y = y_begin; y != y_end; ++y) {
        for (auto x = x_begin; x != x_end; ++x) work(Index3{*x, *y, *z});
      }
    }
  }

  /// The sampled indices of each axis, in ascending order.
  std::array<std::vector<std::int64_t>, 3> looked_at_{};
  /// The values as bit patterns, x fastest.
  std::vector<std::uint64_t> bits_{};
};

/// The results of one rank's share.
struct DataField::Found {
  std::uint64_t checksum = 0;
  std::uint64_t not_zero = 0;  ///< number of nonzero values
  std::shared_ptr<Sample> sample{};
};

DataField::DataField(std::string said, ValueFile file)
    : said_(std::move(said)), file_(std::move(file)) {}

void DataField::settle(Grid const& grid, std::optional<Face> face) {
  points_.emplace(grid, face);
  try {
    dataset_ = open_value_source(file_, points_->shape());
  } catch (NoSuchDataset const& fault) {
    throw InputError(said_ + ": " + fault.what() + advice_on(file_.dataset, file_.path));
  } catch (InputError const& fault) {
    throw InputError(said_ + ": " + fault.what());
  }
  blocks_ = std::make_unique<DataBlocks>(*dataset_);
}

void DataField::want_some(GlobalBox points, std::string whose) {
  if (!checksum_) wanted_some_of_ = std::move(whose);
  want({.points = points});
}

// The order of look-ups: the rank's subdomain, the sample, the cache of blocks. This is called for
// every point by many threads during set-up, so the first look-up needs no lock: kept_ is an atomic
// pointer.
double DataField::at(double x, double y, double z) const {
  Index3 const point = points_->nearest(x, y, z);
  NumberBox const* const kept = kept_.load(std::memory_order_acquire);
  return kept != nullptr && kept->contains(point) ? kept->at(point) : read_at(point);
}

/// Returns a value that is not in memory, from the sample or the file.
double DataField::read_at(Index3 point) const {
  Sample const* const sample = sample_.load(std::memory_order_acquire);
  if (sample == nullptr) return blocks_->at(point);
  if (auto const value = sample->at(point)) return *value;
  try {
    return blocks_->at(point);
  } catch (InputError const& fault) {  // on this rank only, after the case was found valid
    throw Error(said_ + ": the data file can no longer be read: " + fault.what());
  }
}

// Two agreements: rethrow_on_all_ranks() throws the first error on all ranks; the sums make the
// results equal on all ranks.
void DataField::check(mpi::Communicator const& ranks, Precision precision) {
  // Each rank checks its share; the first error is thrown on all ranks.
  Found found;
  rethrow_on_all_ranks(ranks, [&] { found = check_share(ranks.rank(), ranks.size(), precision); });
  // Checksums of shares add up to the checksum of all values, in any order.
  checksum_ = ranks.sum(found.checksum);
  if (ranks.sum(found.not_zero) == 0 && !wanted_some_of_.empty()) {
    throw InputError(said_ + " is nonzero at none of " + wanted_some_of_ +
                     " (a region consists of the points whose value is not 0)");
  }
  // Completes the sample on all ranks, then publishes it to the other threads of this one.
  found.sample->share(ranks);
  std::lock_guard const lock(mutex_);
  if (sample_here_) return;
  sample_here_ = std::move(found.sample);
  sample_.store(sample_here_.get(), std::memory_order_release);
}

/// Checks one rank's share of the values.
///
/// The dataset is cut along its slowest axis into whole chunks, in the order of the ranks.
/// Therefore the error of the lowest rank names the first invalid value of the file.
DataField::Found DataField::check_share(int rank, int ranks, Precision precision) const {
  Extent3 const n = dataset_->points();
  int const axis = n.z > 1 ? 2 : n.y > 1 ? 1 : 0;
  std::int64_t const chunk = dataset_->chunk()[axis];
  std::int64_t const chunks = (n[axis] + chunk - 1) / chunk;
  // Returns the index at which the share of rank number - 1 ends and that of `number` begins.
  auto const end_of = [&](int number) {
    return std::min(n[axis], chunks * number / ranks * chunk);
  };
  GlobalBox share{{}, n};
  share.lower[axis] = end_of(rank);
  share.upper[axis] = end_of(rank + 1);
  Found found{.sample = std::make_shared<Sample>(n)};
  if (rank == 0) verify();
  // Pieces of limited size, so the check needs little memory.
  Extent3 const size = piece_of(*dataset_, values_at_once);
  for (Index3 at = share.lower; at.z < share.upper.z; at.z += size.z) {
    for (at.y = share.lower.y; at.y < share.upper.y; at.y += size.y) {
      for (at.x = share.lower.x; at.x < share.upper.x; at.x += size.x) {
        check_piece(intersection(GlobalBox{at, at + size}, share), precision, found);
      }
    }
  }
  return found;
}

/// Compares the file with its checksum. A sum of the whole file cannot be shared among the ranks.
void DataField::verify() const {
  try {
    dataset_->verify();
  } catch (InputError const& fault) {
    throw InputError(said_ + ": " + fault.what());
  }
}

/// Reads and checks one piece of the share: requirements, checksum, sample, nonzero values.
void DataField::check_piece(GlobalBox piece, Precision precision, Found& found) const {
  std::vector<double> values(static_cast<std::size_t>(piece.point_count()));
  try {
    dataset_->read(piece, values.data());
  } catch (InputError const& fault) {
    throw InputError(said_ + ": " + fault.what());
  }
  for (WantedValues const& wanted : wanted_) check_wanted(piece, values, precision, wanted);
  found.checksum += checksum_of(dataset_->points(), piece, values.data());
  found.sample->take(piece, values);
  found.not_zero += values.size() - static_cast<std::size_t>(std::ranges::count(values, 0.0));
}

/// Checks the values of a piece against one requirement. The predicate of the region is evaluated
/// only for invalid values, since it may be expensive.
void DataField::check_wanted(GlobalBox piece, std::vector<double> const& values,
                             Precision precision, WantedValues const& wanted) const {
  GlobalBox const sampled_indices = intersection(points_->of(wanted.points), piece);
  Extent3 const n = piece.extent();
  for (std::int64_t k = sampled_indices.lower.z; k < sampled_indices.upper.z; ++k) {
    for (std::int64_t j = sampled_indices.lower.y; j < sampled_indices.upper.y; ++j) {
      for (std::int64_t i = sampled_indices.lower.x; i < sampled_indices.upper.x; ++i) {
        Index3 const from = Index3{i, j, k} - piece.lower;
        double const value =
            values[static_cast<std::size_t>(from.x + n.x * (from.y + n.y * from.z))];
        double const taken = rounded(value, precision);
        bool const right = std::isfinite(taken) && is_in(taken, wanted.sign);
        if (!right && counts({i, j, k}, wanted)) refuse({i, j, k}, value, precision, wanted);
      }
    }
  }
}

/// Returns whether a requirement applies at a point.
bool DataField::counts(Index3 point, WantedValues const& wanted) const {
  Grid const& grid = points_->grid();
  Index3 const at = points_->on_grid(point);
  return !wanted.holds ||
         wanted.holds(grid.coordinate(0, at.x), grid.coordinate(1, at.y), grid.coordinate(2, at.z));
}

/// Throws an error that names file, dataset, index and coordinates of an invalid value.
void DataField::refuse(Index3 point, double value, Precision precision,
                       WantedValues const& wanted) const {
  bool const finite = std::isfinite(rounded(value, precision));
  std::string const needs = finite ? needed(wanted.sign, "values") + " everywhere"
                                   : std::string("finite values in ") + name(precision);
  std::string const& where = dataset_->where();
  bool const names_dataset = where.find(", ") != std::string::npos;  // as in: f.h5, dataset "k"
  throw InputError(said_ + ": " + where + (names_dataset ? ", is " : " is ") +
                   (std::isnan(value) ? "not a number (nan)" : six_digits(value)) + " at " +
                   points_->name(point) + ", that is at " +
                   point_name(points_->grid(), points_->on_grid(point)) + " (needs " + needs + ')');
}

/// Returns the values to load for a subdomain: those of its points, and of one layer of neighbours.
GlobalBox DataField::box_to_keep(GlobalBox const& points) const {
  GlobalBox const box = points_->of(points);
  return box.empty() ? box : intersection(box.grown({1, 1, 1}), GlobalBox{{}, points_->extent()});
}

// The acquire load in at() pairs with this release store, so a reader never sees a partial box.
void DataField::keep(GlobalBox const& points) {
  std::lock_guard const lock(mutex_);
  GlobalBox const box = box_to_keep(points);
  if (kept_here_ || box.empty()) return;
  try {
    kept_here_ = std::make_unique<NumberBox const>(*dataset_, box);
  } catch (InputError const& fault) {
    throw InputError(said_ + ": " + fault.what());
  }
  kept_.store(kept_here_.get(), std::memory_order_release);
  blocks_->forget();
}

std::size_t DataField::bytes_to_keep(GlobalBox const& points) const {
  return kept_here_ ? 0 : NumberBox::bytes(*dataset_, box_to_keep(points));
}

ScalarFunction function_of(std::shared_ptr<DataField> field) {
  ScalarFunction function;
  function.evaluate = DataFunction{std::move(field)};
  return function;
}

std::shared_ptr<DataField> data_of(ScalarFunction const& function) {
  auto const* const data = function.evaluate.target<DataFunction>();
  return data == nullptr ? nullptr : data->field;
}

void check_data(mpi::Communicator const& ranks, DataFields const& data, Precision precision) {
  for (auto const& field : data) field->check(ranks, precision);
}

void keep_data(mpi::Communicator const& ranks, DataFields const& data, GlobalBox const& points) {
  if (data.empty()) return;
  rethrow_on_all_ranks(ranks, [&] {
    for (auto const& field : data) field->keep(points);
  });
}

std::size_t bytes_to_keep(DataFields const& data, GlobalBox const& points) {
  std::size_t bytes = 0;
  for (auto const& field : data) bytes = sum_of_bytes(bytes, field->bytes_to_keep(points));
  return bytes;
}

std::string mark_of(std::size_t number) { return "{data " + std::to_string(number) + '}'; }

}  // namespace isotherm
