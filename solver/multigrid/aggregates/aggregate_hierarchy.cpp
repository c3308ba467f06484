#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/stopwatch.hpp"
#include "solver/multigrid/aggregates/coarse_operator.hpp"
#include "solver/multigrid/smoother.hpp"

namespace isotherm {

namespace {

constexpr int sweeps = 4;
/// A level is the last one if coarsening it would leave more than this share of its nodes.
constexpr double largest_share = 0.8;

}  // namespace

template <class Real>
AggregateHierarchy<Real>::AggregateHierarchy(Queue& queue, NodeOperator<Real> grid,
                                             AggregateSettings const& settings)
    : queue_(&queue),
      points_(static_cast<std::int64_t>(grid.nodes.owned())),
      before_(chebyshev_weights(sweeps)),
      after_(before_.rbegin(), before_.rend()) {
  bool is_complete = false;
  {
    NodeOperator<Real> const finest = std::move(grid);
    std::vector<double> diagonal = finest.diagonal();
    diagonal.resize(finest.nodes.total());
    finest.nodes.fill(diagonal);
    is_complete = !add_stage(finest, diagonal, settings);
  }
  while (!is_complete) {
    Stage const& stage = stages_.back();
    AggregateLevel<Real>& last = *stage.level;
    Queue& of_last = *stage.queue;
    floats_ = floats_ || last.has_floating_nodes();
    if (last.a().nodes.owned() <= settings.dense_nodes && last.a().nodes.ranks() == nullptr) {
      inverse_.emplace(last.a(), settings.weak);
      floats_ = floats_ || inverse_->has_floating_components();
      is_complete = true;
    } else {
      is_complete = !add_stage(last.a(), last.diagonal(), settings);
    }
    last.move_to(of_last);
  }
}

template <class Real>
bool AggregateHierarchy<Real>::add_stage(NodeOperator<Real> const& a,
                                         std::vector<double> const& diagonal,
                                         AggregateSettings const& settings) {
  // Coarser operators couple more nodes, each of them less.
  double const threshold = std::ldexp(0.08, -static_cast<int>(stages_.size()));
  Aggregates const aggregates = find_aggregates(a, diagonal, threshold);
  std::int64_t const fine = a.nodes.sum(static_cast<std::int64_t>(a.nodes.owned()));
  std::int64_t const count = a.nodes.sum(static_cast<std::int64_t>(aggregates.count()));
  bool const helps = static_cast<double>(count) <= largest_share * static_cast<double>(fine);
  if (count == 0 || (!helps && !stages_.empty())) return false;
  Coarsened<Real> next = coarsen(a, diagonal, aggregates);
  std::size_t const columns = next.coarse.nodes.total();
  mpi::Communicator const* const ranks = next.coarse.nodes.ranks();
  bool const is_gathered = ranks != nullptr && count <= settings.gathered_nodes;
  std::int64_t const of_host =
      std::max(settings.host_nodes, static_cast<std::int64_t>(settings.dense_nodes));
  Stage stage;
  stage.above = stages_.empty() ? queue_ : stages_.back().queue;
  bool const is_on_host = stage.above == &host_ || is_gathered || count <= of_host;
  stage.queue = is_on_host ? &host_ : queue_;
  stage.restriction = QueueRows<Real>(*stage.above, transposed(next.prolongation, columns));
  stage.prolongation = QueueRows<Real>(*stage.above, std::move(next.prolongation));
  if (is_gathered || stage.queue != stage.above) stage.values.emplace(*stage.above, columns);
  if (is_gathered) {
    stage.shared.emplace(host_, next.coarse.nodes);
    stage.gather.emplace(*ranks, next.coarse.nodes.counts());
    next.coarse = gathered(next.coarse);
  }
  stage.level = std::make_unique<AggregateLevel<Real>>(std::move(next.coarse), settings.weak);
  stages_.push_back(std::move(stage));
  counts_.push_back(count);
  return true;
}

template <class Real>
std::size_t AggregateHierarchy<Real>::bytes() const {
  std::size_t bytes = inverse_ ? inverse_->bytes() : 0;
  for (Stage const& stage : stages_) {
    bytes += stage.prolongation.bytes() + stage.restriction.bytes() + stage.level->bytes();
    if (stage.values) bytes += stage.values->bytes();
    if (stage.shared) bytes += stage.shared->bytes();
  }
  return bytes;
}

template <class Real>
double AggregateHierarchy<Real>::halo_seconds() const {
  double sum = 0.0;
  for (Stage const& stage : stages_) sum += stage.halo_seconds();
  return sum;
}

template <class Real>
std::size_t AggregateHierarchy<Real>::footprint(std::size_t points) {
  // Lists in double precision of the grid's operator, of P, its transpose and PᵀAP while they are
  // made, and the levels: at most 340 (float32) and 510 bytes of resident memory for each point in
  // the media that were measured.
  constexpr std::size_t bytes_of_point = 48 * sizeof(Real) + 352;
  // Each rank holds all of the gathered levels, and the factors of the inverse.
  constexpr std::size_t gathered_levels = std::size_t{16} << 20U;
  return sum_of_bytes(product_of_bytes(points, bytes_of_point), gathered_levels);
}

template <class Real>
std::size_t AggregateHierarchy<Real>::device_footprint(std::size_t points) {
  // At most 16 entries of P, its transpose and the coarser operators for each point of the grid,
  // and lists for each node, were measured.
  constexpr std::size_t bytes_of_point = 24 * (sizeof(Real) + sizeof(std::int32_t)) + 48;
  // Each long list ends within a page of the device.
  constexpr std::size_t pages = 40 * (std::size_t{2} << 20U);
  std::size_t const bytes = product_of_bytes(points, bytes_of_point);
  return sum_of_bytes(bytes, std::min(bytes, pages));
}

template <class Real>
void AggregateHierarchy<Real>::restrict_to(Stage& stage, Real const* residual) {
  AggregateLevel<Real>& level = *stage.level;
  Real* const to = stage.values ? stage.values->on_queue() : level.source();
  multiply_rows(*stage.above, stage.restriction.view(), residual, to);
  if (!stage.values) return stage.exchange().add_to_owners(to);
  // The level is in host memory.
  stage.values->fetch(*stage.above);
  Real* const values = stage.values->on_host();
  stage.exchange().add_to_owners(values);
  std::copy_n(values, stage.exchange().nodes().owned(), level.source() + stage.offset());
  if (!stage.gather) return;
  Stopwatch const watch(stage.gather_s);
  stage.gather->run(level.source());
}

template <class Real>
void AggregateHierarchy<Real>::prolongate(Stage& stage, Real* to) {
  AggregateLevel<Real>& level = *stage.level;
  Real* from = level.correction();
  if (stage.values) {
    Real* const values = stage.values->on_host();
    std::copy_n(from + stage.offset(), stage.exchange().nodes().owned(), values);
    stage.exchange().fill(values);
    stage.values->send(*stage.above);
    from = stage.values->on_queue();
  } else {
    stage.exchange().fill(from);
  }
  add_rows_product(*stage.above, stage.prolongation.view(), from, to);
}

template <class Real>
void AggregateHierarchy<Real>::cycle(std::size_t n) {
  AggregateLevel<Real>& level = *stages_[n].level;
  bool const is_last = n + 1 == stages_.size();
  if (is_last && inverse_) {
    inverse_->solve(level.source(), level.correction());  // in host memory
    return;
  }
  level.smooth(before_, true);
  if (!is_last) {
    restrict_to(stages_[n + 1], level.residual());
    cycle(n + 1);
    prolongate(stages_[n + 1], level.correction());
  }
  level.smooth(after_, false);
}

template <class Real>
void AggregateHierarchy<Real>::solve(Real* values) {
  if (!stages_.empty()) {
    restrict_to(stages_.front(), values);
    cycle(0);
  }
  fill_bytes(*queue_, values, 0, static_cast<std::size_t>(points_) * sizeof(Real));
  if (!stages_.empty()) prolongate(stages_.front(), values);
}

template class AggregateHierarchy<float>;
template class AggregateHierarchy<double>;

}  // namespace isotherm
