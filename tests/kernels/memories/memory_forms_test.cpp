#include <gtest/gtest.h>

#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/memories/gaussian_forms.hpp"
#include "kernels/memories/table_forms.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Tables of weights and terms of sums give the same bits from every memory.

namespace isotherm::test {
namespace {

class MemoryForms : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

WeightTable table_of(Extent3 extent) {
  WeightTable table;
  table.extent = extent;
  for (std::int64_t n = 0; n < extent.x * extent.y * extent.z; ++n) {
    table.values.push_back(std::sin(1.0 + static_cast<double>(n)));
  }
  return table;
}

TEST_F(MemoryForms, TablesGiveTheBitsOfTheCorrelation) {
  for (Extent3 const extent :
       {Extent3{1, 1, 1}, Extent3{5, 3, 1}, Extent3{63, 63, 1}, Extent3{3, 7, 5}}) {
    WeightTable const table = table_of(extent);
    Extent3 const points{37, 21, extent.z > 1 ? 9 : 1};
    Field<float> from(queue_, points, table.reach());
    write_points(queue_, from, random_points<float>(from.layout().box(), 5));
    Field<float> expected(queue_, points, {});
    correlate<float>(queue_, std::as_const(from).view(), expected.view(), from.owned(), table);
    auto const wanted = read_points(queue_, expected, from.owned());
    for (KernelForm const& form : table_forms(queue_.backend())) {
      Field<float> to(queue_, points, {});
      TableCorrelation const correlation(queue_, form.name, table);
      correlation.apply(std::as_const(from).view(), to.view(), from.owned());
      EXPECT_EQ(read_points(queue_, to, from.owned()).values, wanted.values)
          << form.name << ", " << extent.x << " x " << extent.y << " x " << extent.z;
    }
  }
}

TEST_F(MemoryForms, GaussiansGiveTheBitsOfTheSum) {
  PointFrame const frame{{-1.0, -1.0, -1.0}, {0.1, 0.12, 0.2}, {3, 2, 1}};
  for (std::size_t const count : {std::size_t{1}, std::size_t{500}, max_gaussian_terms}) {
    std::vector<GaussianTerm> terms(count);
    for (std::size_t n = 0; n < count; ++n) {
      auto const x = static_cast<double>(n);
      terms[n] = {std::sin(x), std::cos(2.0 * x), std::sin(3.0 * x), 0.3, 0.1};
    }
    for (int const dimension : {2, 3}) {
      Extent3 const points{13, 11, dimension == 3 ? 7 : 1};
      Field<float> expected(queue_, points, {});
      add_gaussians(queue_, expected.view(), expected.owned(), frame, dimension, terms);
      auto const wanted = read_points(queue_, expected, expected.owned());
      for (KernelForm const& form : gaussian_forms(queue_.backend())) {
        Field<float> made(queue_, points, {});
        GaussianSum const sum(queue_, form.name, terms, dimension);
        sum.add(made.view(), made.owned(), frame);
        EXPECT_EQ(read_points(queue_, made, made.owned()).values, wanted.values)
            << form.name << ", " << count << " terms";
      }
    }
  }
}

TEST_F(MemoryForms, UnknownFormsAndTooManyTermsAreRefused) {
  EXPECT_THROW(TableCorrelation(queue_, "paper", table_of({3, 3, 1})), Error);
  EXPECT_THROW(GaussianSum(queue_, "paper", {}, 3), Error);
  std::string const form = gaussian_forms(queue_.backend()).front().name;
  std::vector<GaussianTerm> const terms(max_gaussian_terms + 1);
  EXPECT_THROW(GaussianSum(queue_, form, terms, 3), Error);
}

}  // namespace
}  // namespace isotherm::test
