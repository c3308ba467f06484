#include "solver/multigrid/aggregates/aggregate_hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/byte_count.hpp"
#include "solver/multigrid/aggregates/coarse_operator.hpp"
#include "solver/multigrid/smoother.hpp"

namespace isotherm {

namespace {

constexpr int sweeps = 4;
/// A level is the last one if coarsening it would leave more than this share of its nodes.
constexpr double largest_share = 0.8;

}  // namespace

template <class Real>
AggregateHierarchy<Real>::AggregateHierarchy(NodeOperator<Real> grid,
                                             AggregateSettings const& settings)
    : before_(chebyshev_weights(sweeps)), after_(before_.rbegin(), before_.rend()) {
  {
    NodeOperator<Real> const finest = std::move(grid);
    std::vector<double> diagonal = finest.diagonal();
    diagonal.resize(finest.nodes.total());
    finest.nodes.fill(diagonal);
    add_stage(finest, diagonal, settings);
  }
  while (!stages_.empty()) {
    AggregateLevel<Real> const& last = *stages_.back().level;
    if (last.a().nodes.owned() <= settings.dense_nodes && last.a().nodes.ranks() == nullptr) {
      inverse_.emplace(last.a(), settings.weak);
      floats_ = floats_ || inverse_->has_floating_components();
      break;
    }
    if (!add_stage(last.a(), last.diagonal(), settings)) break;
  }
  for (Stage const& stage : stages_) floats_ = floats_ || stage.level->has_floating_nodes();
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
  Stage stage;
  stage.restriction = transposed(next.prolongation, next.coarse.nodes.total());
  stage.prolongation = std::move(next.prolongation);
  stage.nodes = next.coarse.nodes;
  mpi::Communicator const* const ranks = stage.nodes.ranks();
  if (ranks != nullptr && count <= settings.gathered_nodes) {
    stage.gather.emplace(*ranks, stage.nodes.counts());
    stage.values.resize(stage.nodes.total());
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
  }
  return bytes;
}

template <class Real>
std::size_t AggregateHierarchy<Real>::footprint(std::size_t points) {
  // P and its transpose, the operator of the grid and of all levels, and the rows of P and PᵀAP
  // while they are made: up to 24 entries for each point of the grid, and lists for each point.
  constexpr std::size_t bytes_of_point = 24 * (sizeof(Real) + sizeof(std::int32_t)) + 128;
  constexpr std::size_t dense = std::size_t{1} << 20U;
  return sum_of_bytes(product_of_bytes(points, bytes_of_point), dense);
}

template <class Real>
void AggregateHierarchy<Real>::restrict_to(Stage& stage, std::span<Real const> residual) {
  std::vector<Real>& to = stage.gather ? stage.values : stage.level->source();
  for_each_part(stage.nodes.total(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Real sum{0};
      stage.restriction.each(k, [&](std::size_t p, Real weight) { sum += weight * residual[p]; });
      to[k] = sum;
    }
  });
  stage.nodes.add_to_owners(to);
  if (!stage.gather) return;
  std::vector<Real>& source = stage.level->source();
  std::copy_n(to.begin(), stage.nodes.owned(), source.begin() + stage.gather->offset());
  stage.gather->run(source.data());
}

template <class Real>
void AggregateHierarchy<Real>::prolongate(Stage& stage, std::span<Real> to) {
  std::vector<Real>& from = stage.gather ? stage.values : stage.level->correction();
  if (stage.gather) {
    std::copy_n(stage.level->correction().begin() + stage.gather->offset(), stage.nodes.owned(),
                from.begin());
  }
  stage.nodes.fill(from);
  for_each_part(stage.prolongation.rows(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      Real sum{0};
      stage.prolongation.each(p, [&](std::size_t k, Real weight) { sum += weight * from[k]; });
      to[p] += sum;
    }
  });
}

template <class Real>
void AggregateHierarchy<Real>::cycle(std::size_t n) {
  AggregateLevel<Real>& level = *stages_[n].level;
  bool const is_last = n + 1 == stages_.size();
  if (is_last && inverse_) {
    inverse_->solve(level.source(), level.correction());
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
void AggregateHierarchy<Real>::solve(std::span<Real> values) {
  if (!stages_.empty()) {
    restrict_to(stages_.front(), values);
    cycle(0);
  }
  std::ranges::fill(values, Real{0});
  if (!stages_.empty()) prolongate(stages_.front(), values);
}

template class AggregateHierarchy<float>;
template class AggregateHierarchy<double>;

}  // namespace isotherm
