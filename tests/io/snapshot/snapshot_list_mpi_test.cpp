#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"

// Names and lists of snapshots, old checkpoints, and series for ParaView.

namespace isotherm::test {
namespace {

class SnapshotList : public testing::Test {
 protected:
  void write(std::int64_t iteration, bool is_checkpoint, Grid const& grid = grid_of({6, 5, 4})) {
    Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<float> const values = values_of<float>(subdomain);
    SnapshotInfo info = some_info();
    info.iteration = iteration;
    info.time_s = 0.25 * static_cast<double>(iteration);
    info.is_checkpoint = is_checkpoint;
    write_snapshot<float>(world, snapshot_path(directory.path(), "u", iteration), info, subdomain,
                          values.data(), {}, {});
    world.barrier();
  }

  [[nodiscard]] std::vector<SnapshotFile> list(
      std::vector<RejectedFile>* rejected = nullptr) const {
    return list_snapshots(directory.path(), "u", rejected);
  }
  static std::vector<std::int64_t> iterations(std::vector<SnapshotFile> const& files) {
    std::vector<std::int64_t> all;
    for (SnapshotFile const& file : files) {
      all.push_back(file.info.iteration);
    }
    return all;
  }
  [[nodiscard]] std::string text_of(std::string const& name) const {
    std::ifstream file(directory / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
};
using Iterations = std::vector<std::int64_t>;

TEST(SnapshotPath, HasAtLeastSixDigits) {
  EXPECT_EQ(snapshot_path("out", "u", 500), "out/u_000500.vtkhdf");
  EXPECT_EQ(snapshot_path("out", "u", 12'345'678), "out/u_12345678.vtkhdf");
  EXPECT_EQ(checkpoint_path("out", "u", 500), "out/u_000500.checkpoint.vtkhdf");
}

TEST(SnapshotName, ConsistsOfFieldAndDigits) {
  EXPECT_TRUE(is_snapshot_name("u_000500.vtkhdf", "u"));
  EXPECT_TRUE(is_snapshot_name("u_12345678.vtkhdf", "u"));
  EXPECT_TRUE(is_snapshot_name("u_000500.checkpoint.vtkhdf", "u"));
  for (char const* const name :
       {"u_best.vtkhdf", "u_.vtkhdf", "u_12.vtkhdf.tmp", "v_000500.vtkhdf", "u000500.vtkhdf",
        "u_-12.vtkhdf", "", "u", "u_.checkpoint.vtkhdf", "u_.checkpoint.checkpoint.vtkhdf",
        "u_1.checkpoint.checkpoint.vtkhdf"}) {
    EXPECT_FALSE(is_snapshot_name(name, "u")) << name;
  }
}

TEST_F(SnapshotList, IsSortedByIteration) {
  for (std::int64_t const iteration : {2'000'000, 500, 20}) {
    write(iteration, false);
  }

  EXPECT_EQ(iterations(list()), (Iterations{20, 500, 2'000'000}));
}

TEST_F(SnapshotList, SkipsUnreadableFilesWithAReason) {
  write(1, false);
  if (world.is_root()) {
    std::ofstream(directory / "u_000002.vtkhdf") << "text";
    std::ofstream(directory / "u_000003.vtkhdf.tmp") << "text";
    std::ofstream(directory / "source_000004.vtkhdf") << "text";
    std::ofstream(directory / "u_new.vtkhdf") << "text";
  }
  world.barrier();
  std::vector<RejectedFile> rejected;

  auto const files = list(&rejected);

  EXPECT_EQ(iterations(files), Iterations{1});
  EXPECT_EQ(rejected.size(), 1U);
  EXPECT_NE(rejected.at(0).reason.find("u_000002.vtkhdf is not an HDF5 file"), std::string::npos)
      << rejected.at(0).reason;
  EXPECT_EQ(rejected.at(0).path.filename(), "u_000002.vtkhdf");
}

TEST_F(SnapshotList, MissingDirectoryIsEmpty) {
  EXPECT_TRUE(list_snapshots(directory / "none", "u").empty());
}

TEST_F(SnapshotList, RemovesOldCheckpointsButNoSnapshots) {
  for (std::int64_t const iteration : {1, 2, 3, 4, 5}) {
    write(iteration, iteration != 2);
  }
  auto const all = list();

  auto const announced = remove_old_checkpoints(all, 2, true);
  auto const untouched = list();
  world.barrier();
  if (world.is_root()) {
    remove_old_checkpoints(all, 2, false);
  }
  world.barrier();

  EXPECT_EQ(iterations(announced), (Iterations{2, 4, 5}));
  EXPECT_EQ(iterations(untouched), (Iterations{1, 2, 3, 4, 5}));
  EXPECT_EQ(iterations(list()), (Iterations{2, 4, 5}));
}

TEST_F(SnapshotList, KeepsCheckpointsOfLaterIterations) {
  for (std::int64_t const iteration : {1, 2, 3, 8, 9}) write(iteration, true);
  auto files = list();
  std::ranges::rotate(files, files.begin() + 3);  // 8 and 9 are older files

  EXPECT_EQ(iterations(remove_old_checkpoints(files, 2, true)), (Iterations{8, 9, 2, 3}));
}

TEST_F(SnapshotList, SeriesListsExistingFiles) {
  write(8, false);
  write(4, false);
  auto files = list();
  files.push_back({directory / "u_000009.vtkhdf", files.back().info});
  if (world.is_root()) {
    write_series(directory.path(), "u", {files[1], files[0], files[2]}, false);
  }
  world.barrier();

  auto const series = nlohmann::json::parse(text_of("u.vtkhdf.series"));
  std::string const xdmf = text_of("u.xmf");

  EXPECT_EQ(series, nlohmann::json::parse(R"({"file-series-version": "1.0", "files": [
      {"name": "u_000004.vtkhdf", "time": 1.0}, {"name": "u_000008.vtkhdf", "time": 2.0}]})"));
  EXPECT_LT(xdmf.find("u_000004.vtkhdf:/VTKHDF/PointData/u"),
            xdmf.find("u_000008.vtkhdf:/VTKHDF/PointData/u"));
  EXPECT_EQ(xdmf.find("u_000009"), std::string::npos);
}

TEST_F(SnapshotList, SeriesHasValuesAtGridPoints) {
  write(8, false, grid_of({7, 5, 1}));  // a plane; stored as cells, see VtkImage
  auto const files = list();
  if (world.is_root()) {
    write_series(directory.path(), "u", files, false);
  }
  world.barrier();

  std::string const xdmf = text_of("u.xmf");
  for (char const* wanted :
       {R"(<Topology TopologyType="3DCoRectMesh" Dimensions="1 5 7"/>)", R"(Center="Node")",
        R"(Format="XML">0 0.5 -1</DataItem>)", R"(<DataItem Dimensions="1 5 7" )",
        "u_000008.vtkhdf:/VTKHDF/CellData/u"}) {
    EXPECT_NE(xdmf.find(wanted), std::string::npos) << wanted << " is not in\n" << xdmf;
  }

  for (Precision const precision : {Precision::float32, Precision::float64}) {
    auto stored = files;
    stored.front().info.stored_type = precision;
    if (world.is_root()) write_series(directory.path(), "u", stored, false);
    world.barrier();
    std::string const wanted = std::string("Precision=\"") +
                               (precision == Precision::float32 ? '4' : '8') +
                               "\" Format=\"HDF\">u_000008.vtkhdf";
    EXPECT_NE(text_of("u.xmf").find(wanted), std::string::npos) << wanted;
    world.barrier();
  }
}

TEST_F(SnapshotList, SeriesHasFilesOfOneKind) {
  write(2, false);
  write(4, false, grid_of({7, 5, 1}));
  write(6, true);
  write(8, false, grid_of({7, 5, 1}));
  write(10, true);
  auto files = list();
  auto const names_in_series = [&] {
    world.barrier();
    std::vector<std::string> names;
    auto const series = nlohmann::json::parse(text_of("u.vtkhdf.series"));
    for (auto const& file : series["files"]) {
      names.push_back(file["name"]);
    }
    world.barrier();
    return names;
  };
  using Names = std::vector<std::string>;

  if (world.is_root()) write_series(directory.path(), "u", files, false);
  EXPECT_EQ(names_in_series(), (Names{"u_000004.vtkhdf", "u_000008.vtkhdf"}));
  std::swap(files[0], files[3]);  // written last, regardless of its iteration
  if (world.is_root()) write_series(directory.path(), "u", files, false);
  EXPECT_EQ(names_in_series(), (Names{"u_000002.vtkhdf", "u_000006.vtkhdf", "u_000010.vtkhdf"}));
  std::erase_if(files, [](SnapshotFile const& file) { return !file.info.is_checkpoint; });
  if (world.is_root()) write_series(directory.path(), "u", files, false);
  EXPECT_EQ(names_in_series(), (Names{"u_000006.vtkhdf", "u_000010.vtkhdf"}));
}

TEST_F(SnapshotList, SnapshotsHaveTheirOwnSeries) {
  auto const names_in = [&](char const* series) {
    world.barrier();
    std::vector<std::string> names;
    auto const json = nlohmann::json::parse(text_of(series));
    for (auto const& file : json["files"]) {
      names.push_back(file["name"]);
    }
    EXPECT_EQ(text_of("u_snapshots.xmf").find("u_000003"), std::string::npos);
    world.barrier();
    return names;
  };
  using Names = std::vector<std::string>;
  write(3, true);
  if (world.is_root()) write_series(directory.path(), "u", list(), false);
  world.barrier();
  EXPECT_FALSE(std::filesystem::exists(directory / "u_snapshots.xmf"));
  world.barrier();
  write(4, false);
  write(8, false);
  write(9, true);
  if (world.is_root()) write_series(directory.path(), "u", list(), false);

  EXPECT_EQ(names_in("u_snapshots.vtkhdf.series"), (Names{"u_000004.vtkhdf", "u_000008.vtkhdf"}));
  EXPECT_EQ(names_in("u.vtkhdf.series"),
            (Names{"u_000003.vtkhdf", "u_000004.vtkhdf", "u_000008.vtkhdf", "u_000009.vtkhdf"}));

  std::vector<SnapshotFile> checkpoints = list();
  std::erase_if(checkpoints, [](SnapshotFile const& file) { return !file.info.is_checkpoint; });
  if (world.is_root()) write_series(directory.path(), "u", checkpoints, false);
  EXPECT_EQ(names_in("u_snapshots.vtkhdf.series"), Names{});
}

TEST_F(SnapshotList, SeriesHasUniqueTimes) {
  write(4, false);
  write(8, false);
  auto files = list();
  for (SnapshotFile& file : files) file.info.time_s = 0.5;
  if (world.is_root()) write_series(directory.path(), "u", files, false);
  world.barrier();

  EXPECT_EQ(nlohmann::json::parse(text_of("u.vtkhdf.series"))["files"],
            nlohmann::json::parse(R"([{"name": "u_000008.vtkhdf", "time": 0.5}])"));
}

TEST_F(SnapshotList, SteadySeriesCountsIterations) {
  write(8, false);
  auto const files = list();
  if (world.is_root()) {
    write_series(directory.path(), "u", files, true);
  }
  world.barrier();

  EXPECT_EQ(nlohmann::json::parse(text_of("u.vtkhdf.series"))["files"][0]["time"], 8.0);
}

}  // namespace
}  // namespace isotherm::test
