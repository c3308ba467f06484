#include "decomposition/ranks/repeated_gather.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "decomposition/ranks/real_type.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm::mpi {

namespace {

/// Fewer ranks gather in one stage.
constexpr int many_ranks = 64;

}  // namespace

int gather_group_size(int ranks) {
  int largest = ranks;
  for (int divisor = 2; ranks >= many_ranks && divisor * divisor <= ranks; ++divisor) {
    if (ranks % divisor == 0) largest = divisor;
  }
  return largest;
}

RepeatedGather::RepeatedGather(Communicator const& ranks, std::vector<std::int64_t> const& counts,
                               std::optional<int> group_size)
    : ranks_(&ranks), counts_(counts) {
  int const size = ranks.size();
  int const group = group_size.value_or(gather_group_size(size));
  require(counts.size() == static_cast<std::size_t>(size), "a rank gathers without a count");
  require(group >= 1 && size % group == 0, "the groups of a gather have different sizes");
  std::vector<std::int64_t> begins{0};
  for (std::int64_t const count : counts) begins.push_back(begins.back() + count);
  total_ = begins.back();
  offset_ = begins[static_cast<std::size_t>(ranks.rank())];
  if (total_ > std::numeric_limits<int>::max()) return;
  // Stage 1: the ranks of the group, one after another in the list.
  int const number = ranks.rank() / group;
  auto const first = begins.begin() + static_cast<std::ptrdiff_t>(number) * group;
  add_stage(number, {first, first + group + 1});
  if (group == size) return;
  // Stage 2: one rank of each group. Its block is what its group gathered in stage 1.
  std::vector<std::int64_t> blocks;
  for (std::size_t rank = 0; rank < begins.size(); rank += static_cast<std::size_t>(group)) {
    blocks.push_back(begins[rank]);
  }
  add_stage(ranks.rank() % group, blocks);
}

void RepeatedGather::add_stage(int color, std::vector<std::int64_t> const& begins) {
  MPI_Comm part = MPI_COMM_NULL;
  check(MPI_Comm_split(ranks_->get(), color, ranks_->rank(), &part));
  Stage stage{UniqueHandle<CommTraits>(part)};
  check(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN));
  for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
    stage.offsets.push_back(static_cast<int>(begins[r]));
    stage.counts.push_back(static_cast<int>(begins[r + 1] - begins[r]));
  }
  stages_.push_back(std::move(stage));
}

template <class Real>
void RepeatedGather::run(Real* all) const {
  if (stages_.empty()) return run_in_pieces(all);
  Waiting const for_all(WaitsFor::ranks);
  for (Stage const& stage : stages_) {
    check(MPI_Allgatherv(MPI_IN_PLACE, 0, real_type<Real>(), all, stage.counts.data(),
                         stage.offsets.data(), real_type<Real>(), stage.ranks.get()));
  }
}

template <class Real>
void RepeatedGather::run_in_pieces(Real* all) const {
  Real const* const own = all + offset_;
  std::vector<Real> const mine(own, own + counts_[static_cast<std::size_t>(ranks_->rank())]);
  std::vector<Real> list;
  ranks_->all_gather(mine, counts_, list);
  std::ranges::copy(list, all);
}

template void RepeatedGather::run(float*) const;
template void RepeatedGather::run(double*) const;

}  // namespace isotherm::mpi
