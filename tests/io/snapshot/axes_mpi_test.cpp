#include <gtest/gtest.h>

#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "io/snapshot/datasets/axes.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/snapshot_description.hpp"
#include "tests/io/support.hpp"

// The axes as other programs find them, by HDF5's "Dimension Scale Specification".

namespace isotherm::test {
namespace {

constexpr std::array<char const*, 3> axis_of_dimension{"z", "y", "x"};

hdf5::Dataset open(hid_t parent, std::string const& path) {
  return hdf5::Dataset(hdf5::check(H5Dopen2(parent, path.c_str(), H5P_DEFAULT)));
}

haddr_t place_of(hid_t object) {
  H5O_info_t info{};
  hdf5::check(H5Oget_info(object, &info));
  return info.addr;
}

haddr_t place_of(hid_t file, hobj_ref_t reference) {
  return place_of(
      hdf5::Dataset(hdf5::check(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &reference))).get());
}

/// The addresses of the dimension scales that a field references, by axis.
std::vector<haddr_t> scales_of(hid_t file, hdf5::Dataset const& field) {
  hdf5::Attribute const list(hdf5::check(H5Aopen(field.get(), "DIMENSION_LIST", H5P_DEFAULT)));
  hdf5::Datatype const type(hdf5::check(H5Tvlen_create(H5T_STD_REF_OBJ)));
  hdf5::Dataspace const space(hdf5::check(H5Aget_space(list.get())));
  std::vector<hvl_t> lists(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  hdf5::check(H5Aread(list.get(), type.get(), lists.data()));
  std::vector<haddr_t> places;
  for (hvl_t const& one : lists) {
    EXPECT_EQ(one.len, 1U);
    places.push_back(place_of(file, *static_cast<hobj_ref_t const*>(one.p)));
  }
  hdf5::check(H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, lists.data()));
  return places;
}

struct Use {
  hobj_ref_t dataset;
  int dimension;
};

std::vector<Use> uses_of(hdf5::Dataset const& scale) {
  hdf5::Attribute const list(hdf5::check(H5Aopen(scale.get(), "REFERENCE_LIST", H5P_DEFAULT)));
  hdf5::Datatype const type(hdf5::check(H5Tcreate(H5T_COMPOUND, sizeof(Use))));
  hdf5::check(H5Tinsert(type.get(), "dataset", offsetof(Use, dataset), H5T_STD_REF_OBJ));
  hdf5::check(H5Tinsert(type.get(), "dimension", offsetof(Use, dimension), H5T_NATIVE_INT));
  std::vector<Use> uses(hdf5::attribute_size(scale.get(), "REFERENCE_LIST"));
  hdf5::check(H5Aread(list.get(), type.get(), uses.data()));
  return uses;
}

/// Reads a text as HDF5's own functions expect it: of fixed length and zero-terminated.
std::string ended_text(hdf5::Dataset const& dataset, char const* name) {
  hdf5::Attribute const attribute(hdf5::check(H5Aopen(dataset.get(), name, H5P_DEFAULT)));
  hdf5::Datatype const type(hdf5::check(H5Aget_type(attribute.get())));
  EXPECT_EQ(H5Tis_variable_str(type.get()), 0);
  EXPECT_EQ(H5Tget_strpad(type.get()), H5T_STR_NULLTERM);
  std::string text(H5Tget_size(type.get()), ' ');
  hdf5::check(H5Aread(attribute.get(), type.get(), text.data()));
  EXPECT_EQ(text.back(), '\0');
  return text.substr(0, text.size() - 1);
}

std::string bytes_in(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void flip_byte(std::filesystem::path const& path, std::uint64_t place) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  char byte = 0;
  file.seekg(static_cast<std::streamoff>(place)).get(byte);
  file.seekp(static_cast<std::streamoff>(place)).put(static_cast<char>(byte ^ 2));
}

class Axes : public testing::Test {
 protected:
  void write(Grid const& grid, StorageOptions const& options = {},
             std::vector<std::string> const& further = {"source"}) {
    Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<double> const u = values_of<double>(part);
    std::vector<ExtraField<double>> extra;
    for (std::string const& name : further) extra.push_back({name, u.data()});
    write_snapshot<double>(world, path, some_info(), part, u.data(), extra, options);
    world.barrier();
  }

  [[nodiscard]] hdf5::File open_to(unsigned flags) const {
    return hdf5::File(hdf5::check(H5Fopen(path.c_str(), flags, H5P_DEFAULT)));
  }

  void expect_axes(Grid const& grid) const {
    hdf5::File const file = open_to(H5F_ACC_RDONLY);
    for (int axis = 0; axis < 3; ++axis) {
      char const* const name = layout::axis_names[static_cast<std::size_t>(axis)];
      hdf5::Dataset const scale = open(file.get(), name);
      EXPECT_EQ(ended_text(scale, "CLASS"), "DIMENSION_SCALE");
      EXPECT_EQ(ended_text(scale, "NAME"), name);
      auto const count = static_cast<std::size_t>(grid.points[axis]);
      auto const found = hdf5::read_numbers<double>(scale, name, count);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(found[i], grid.coordinate(axis, static_cast<std::int64_t>(i))) << name << i;
      }
      expect_uses(file.get(), grid, scale, 2 - axis);
    }
    for (char const* const field : {"u", "source"}) expect_scales(file.get(), grid, field);
  }

  static void expect_uses(hid_t file, Grid const& grid, hdf5::Dataset const& scale, int dimension) {
    std::vector<haddr_t> wanted;
    for (char const* const field : {"source", "u"}) {
      wanted.push_back(place_of(open(file, layout::dataset_path(grid, field)).get()));
    }
    std::vector<haddr_t> found;
    for (Use const& use : uses_of(scale)) {
      EXPECT_EQ(use.dimension, dimension);
      found.push_back(place_of(file, use.dataset));
    }
    EXPECT_EQ(found, wanted);
  }

  static void expect_scales(hid_t file, Grid const& grid, char const* field) {
    hdf5::Dataset const dataset = open(file, layout::dataset_path(grid, field));
    std::vector<haddr_t> wanted;
    for (char const* const axis : axis_of_dimension) {
      wanted.push_back(place_of(open(file, axis).get()));
    }
    EXPECT_EQ(scales_of(file, dataset), wanted);
    EXPECT_EQ(place_of(open(file, field).get()), place_of(dataset.get())) << "linked in the root";
  }

  [[nodiscard]] std::string damage() const {
    return message_of<InputError>([&] { verify_snapshot(path, read_snapshot_info(path)); });
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
};

TEST_F(Axes, EveryFieldReferencesItsAxes) {
  for (Extent3 const points : {Extent3{13, 7, 9}, Extent3{31, 22, 1}}) {
    for (int const level : {0, 3}) {
      write(grid_of(points), {.deflate_level = level});
      expect_axes(grid_of(points));
      EXPECT_EQ(damage(), "");
      world.barrier();
    }
  }
}

TEST_F(Axes, CutHasItsOwnAxes) {
  Grid const grid = grid_of({13, 9, 8});
  write(grid, {.cut = GlobalBox{{2, 4, 3}, {10, 5, 7}}});  // a plane

  Grid const cut = read_snapshot_info(path).grid;

  EXPECT_EQ(cut.points, (Extent3{8, 1, 4}));
  EXPECT_EQ(cut.lower[1], grid.coordinate(1, 4));
  expect_axes(cut);
}

TEST_F(Axes, ManyFieldsMayShareAxes) {
  std::vector<std::string> names;
  // more than fit into one heap
  for (int i = 0; i < 57; ++i) names.push_back("f" + std::to_string(i));
  write(grid_of({5, 4, 3}), {}, names);
  std::string const bytes = bytes_in(path);
  world.barrier();
  write(grid_of({5, 4, 3}), {}, names);

  EXPECT_EQ(damage(), "");
  EXPECT_TRUE(bytes_in(path) == bytes);
  hdf5::File const file = open_to(H5F_ACC_RDONLY);
  EXPECT_EQ(uses_of(open(file.get(), "x")).size(), 58U);
}

TEST_F(Axes, FieldsMayHaveTheNamesOfAxes) {
  write(grid_of({5, 4, 3}), {}, {"x", "isotherm"});

  EXPECT_EQ(damage(), "");
  EXPECT_EQ(read_snapshot_info(path).extra_fields, (std::vector<std::string>{"isotherm", "x"}));
  hdf5::File const file = open_to(H5F_ACC_RDONLY);
  EXPECT_EQ(hdf5::shape_of(open(file.get(), "x")), std::vector<hsize_t>{5});
}

TEST_F(Axes, VerifyFindsDamagedAxes) {
  write(grid_of({6, 5, 4}));
  std::uint64_t coordinates = 0;
  std::uint64_t references = 0;
  {
    hdf5::File const file = open_to(H5F_ACC_RDONLY);
    coordinates = H5Dget_offset(open(file.get(), "y").get());
    hdf5::Group const own(hdf5::check(H5Gopen2(file.get(), "isotherm", H5P_DEFAULT)));
    references = hdf5::read_attribute<std::uint64_t>(own.get(), "axes_references", 2).front();
  }
  for (std::uint64_t const place : {coordinates + 5, references + 9, references + 32}) {
    world.barrier();
    if (world.is_root()) flip_byte(path, place);
    world.barrier();
    EXPECT_EQ(damage(), path.string() + " is damaged: in its axes: the checksum is wrong");
    world.barrier();
    if (world.is_root()) flip_byte(path, place);
  }
  world.barrier();
  EXPECT_EQ(damage(), "");
}

TEST_F(Axes, MissingAxesAreDamage) {
  write(grid_of({6, 5, 4}));
  if (world.is_root()) hdf5::check(H5Ldelete(open_to(H5F_ACC_RDWR).get(), "x", H5P_DEFAULT));
  world.barrier();

  EXPECT_TRUE(damage().starts_with(path.string() + " is damaged: in its axes: ")) << damage();
}

TEST_F(Axes, ExternalAxesAreNotRead) {
  write(grid_of({6, 5, 4}));
  if (world.is_root()) {
    hdf5::File const file = open_to(H5F_ACC_RDWR);
    hdf5::check(H5Ldelete(file.get(), "x", H5P_DEFAULT));
    hdf5::check(H5Lcreate_external("other.h5", "/x", file.get(), "x", H5P_DEFAULT, H5P_DEFAULT));
  }
  world.barrier();

  EXPECT_NE(damage().find("\"x\" is a link to another file"), std::string::npos) << damage();
}

TEST_F(Axes, OlderFilesNeedNoAxes) {
  write(grid_of({6, 5, 4}));
  if (world.is_root()) {
    hdf5::File const file = open_to(H5F_ACC_RDWR);
    for (char const* const name : {"x", "y", "z", "u", "source"}) {
      hdf5::check(H5Ldelete(file.get(), name, H5P_DEFAULT));
    }
    for (char const* const name : {"axes_checksum", "axes_references"}) {
      hdf5::check(H5Adelete_by_name(file.get(), "isotherm", name, H5P_DEFAULT));
    }
  }
  world.barrier();

  EXPECT_EQ(damage(), "");
}

TEST_F(Axes, VeryLongAxesAreOmitted) {
  std::int64_t const maximum = std::int64_t{1} << 22;
  write(grid_of({maximum + 1, 1, 1}), {}, {});
  {
    hdf5::File const file = open_to(H5F_ACC_RDONLY);
    EXPECT_EQ(H5Lexists(file.get(), "x", H5P_DEFAULT), 0);
  }
  EXPECT_EQ(damage(), "");
  EXPECT_TRUE(field_axes::are_stored(grid_of({maximum, 1, 1})));
}

TEST(AxesOfADescription, SpaceIsReservedBeforeTheValues) {
  for (int const fields : {1, 2, 8, 57}) {
    SnapshotInfo info;
    info.grid = grid_of({5, 4, 3});
    SnapshotDescription description(info);
    std::uint64_t reserved = 0;
    for (int i = 0; i < fields; ++i) {
      std::string const name = i == 0 ? "u" : "field_" + std::to_string(i);
      (void)description.add_field<double>(name, info.grid.points);
      reserved = description.max_bytes();
      description.set_checksums(name, {7});
    }
    description.close();

    EXPECT_LE(description.image().bytes(), reserved) << fields;
    EXPECT_GT(description.image().bytes() + 32'768 + 1'024 * fields, reserved) << fields;
  }
}

}  // namespace
}  // namespace isotherm::test
