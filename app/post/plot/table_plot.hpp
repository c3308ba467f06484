#pragma once

#include <string>
#include <vector>

#include "app/post/plot/plot.hpp"
#include "case/basics/text/csv_table.hpp"
#include "io/picture/plot/plot.hpp"

namespace isotherm::app {

/// Returns a short name for each file that distinguishes it from the others: without extension, or
/// that of its folder. A single file needs no name.
std::vector<std::string> short_names(std::vector<std::filesystem::path> const& files);

/// Returns a plot of tables, which may come from different runs.
///
/// Residuals are drawn over the iteration with a logarithmic axis; the values of a line probe over
/// the distance, with a curve for each moment; other tables over the time if they have one, else
/// over their first column of numbers.
/// @param remarks  receives a line if not all moments are drawn
/// @throws InputError  if a column is missing, or holds no numbers
Plot plot_of_tables(std::vector<CsvTable> const& tables, PlotOptions const& options,
                    std::vector<std::string>& remarks);

}  // namespace isotherm::app
