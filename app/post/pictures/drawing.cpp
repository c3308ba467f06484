#include "app/post/pictures/drawing.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/presence.hpp"
#include "io/picture/film/film.hpp"
#include "io/snapshot/series/snapshot_list.hpp"

namespace isotherm::app {

namespace fs = std::filesystem;

PictureOptions options_for(mpi::Communicator const& ranks, StoredField const& field,
                           DrawingOrder const& order) {
  PictureOptions options = field.options();
  options.format = order.format;
  if (order.of) {
    // The range and the label of the case are those of u.
    options.look.values = {};
    options.look.label = *order.of;
  }
  rethrow_on_all_ranks(ranks, [&] { apply(order.look, field.info().grid, options.look); });
  return options;
}

namespace {

/// Samples a stored field.
FieldViews views_of_stored(mpi::Communicator const& ranks, StoredField const& field,
                           DrawingOrder const& order, PictureOptions const& options) {
  auto const values = field.values(ranks, order.of);
  return sampled_views(ranks, field.subdomain(), values.data(), options, field.excluded());
}

/// What all pictures of a series have in common.
struct SeriesScale {
  Range values{};
  double typical_arrow = 0.0;  ///< on the root
};

SeriesScale scale_of_series(mpi::Communicator const& ranks, std::vector<std::string> const& fields,
                            DrawingOrder const& order) {
  std::optional<SeriesScale> scale;
  for (std::string const& path : fields) {
    StoredField const field(ranks, path);
    PictureOptions const options = options_for(ranks, field, order);
    // A given range needs no field, but arrows do.
    if (options.look.values && !options.look.arrows) return {*options.look.values};
    FieldViews const sampled = views_of_stored(ranks, field, order, options);
    double const arrow = options.look.arrows ? typical_arrow(sampled.views) : 0.0;
    scale = scale ? SeriesScale{joined(scale->values, sampled.values),
                                std::max(scale->typical_arrow, arrow)}
                  : SeriesScale{sampled.values, arrow};
  }
  return scale.value_or(SeriesScale{});
}

}  // namespace

void draw_series(mpi::Communicator const& ranks, std::vector<std::string> const& fields,
                 DrawingOrder const& order,
                 std::function<void(fs::path const&, std::string)> const& take) {
  SeriesScale const scale = scale_of_series(ranks, fields, order);
  for (std::string const& path : fields) {
    StoredField const field(ranks, path);
    PictureOptions options = options_for(ranks, field, order);
    FieldViews const sampled = views_of_stored(ranks, field, order, options);
    options.typical_arrow = scale.typical_arrow;
    on_root(ranks, [&] { take(path, picture_bytes(sampled.views, scale.values, options)); });
  }
}

std::vector<std::string> snapshots_in(mpi::Communicator const& ranks, fs::path const& directory) {
  std::vector<std::string> paths;
  on_root(ranks, [&] {
    require_directory(directory, "needs the snapshots of a run");
    std::vector<RejectedFile> rejected;
    for (SnapshotFile const& file : list_snapshots(directory, "u", &rejected)) {
      if (!file.info.is_checkpoint) paths.push_back(file.path.string());
    }
    for (RejectedFile const& file : rejected) {
      std::cerr << "isotherm: warning: ignored: " << visible(file.reason) << "\n";
    }
    if (paths.empty()) throw InputError("there is no snapshot in " + directory.string());
  });
  return ranks.broadcast(paths);
}

}  // namespace isotherm::app
