#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/checks/block_checksums.hpp"
#include "io/snapshot/checks/checksum.hpp"
#include "io/snapshot/chunks/chunked_read.hpp"
#include "io/snapshot/datasets/stored_field.hpp"
#include "io/snapshot/snapshot.hpp"

// Refusing snapshots and datasets that are valid HDF5 but invalid or malicious for isotherm.

namespace isotherm::test {
namespace {

using Shape = std::vector<hsize_t>;
using hdf5::check;

constexpr Extent3 points{4, 3, 2};
char const* const values_path = "/VTKHDF/PointData/u";

hdf5::Dataspace space_of(Shape const& shape) {
  return hdf5::Dataspace(
      check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
}

hdf5::PropertyList creation() { return hdf5::PropertyList(check(H5Pcreate(H5P_DATASET_CREATE))); }

hdf5::Dataset create(hid_t file, char const* path, hid_t type, Shape const& shape,
                     hdf5::PropertyList const& how = creation()) {
  hdf5::Dataspace const space = space_of(shape);
  return hdf5::Dataset(
      check(H5Dcreate2(file, path, type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT)));
}

void write_text(hid_t file, char const* path, std::string const& text) {
  hdf5::Datatype const type = hdf5::text_type(text.size(), H5T_CSET_UTF8);
  hdf5::Dataset const dataset = create(file, path, type.get(), {1});
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
}

void write_values(hid_t file, char const* path, std::vector<double> const& values) {
  hdf5::Dataset const dataset = create(file, path, H5T_IEEE_F64LE, {2, 3, 4});
  check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

/// A valid file, made with HDF5 directly. Each test changes one thing in it.
class HostileSnapshot : public testing::Test {
 protected:
  HostileSnapshot() {
    std::string name = testing::TempDir() + "isotherm_hostile_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw Error("cannot make " + name);
    }
    directory = name;
    path = directory / "u_000007.vtkhdf";
    write(path, {});
  }
  ~HostileSnapshot() override { std::filesystem::remove_all(directory); }

  [[nodiscard]] static std::vector<double> values() {
    std::vector<double> all(24);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = 0.5 + static_cast<double>(i);
    }
    return all;
  }

  static void write_group(hid_t file, std::vector<double> const& stored) {
    using Whole = std::vector<std::int64_t>;
    hdf5::Group const own(
        check(H5Gcreate2(file, "isotherm", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    hid_t const id = own.get();
    hdf5::write_attribute(id, "format", std::int64_t{1});
    for (auto const& [name, text] :
         {std::pair{"version", "0.1"}, {"field", "u"}, {"role", "snapshot"}, {"reason", ""}}) {
      hdf5::write_attribute(id, name, std::string(text));
    }
    hdf5::write_attribute(id, "iteration", std::int64_t{7});
    hdf5::write_attribute(id, "time", 0.5);
    hdf5::write_attribute(id, "can_resume", std::int64_t{1});
    hdf5::write_attribute(id, "checksum",
                          checksum_of(points, GlobalBox{{}, points}, stored.data()));
    hdf5::write_attribute(id, "dimension", std::int64_t{3});
    hdf5::write_attribute(id, "points", Whole{points.x, points.y, points.z});
    hdf5::write_attribute(id, "lower", std::vector<double>{0, 0, 0});
    hdf5::write_attribute(id, "spacing", std::vector<double>{1, 1, 1});
    hdf5::write_attribute(id, "periodic", Whole{0, 1, 0});
  }

  static void write(std::filesystem::path const& to, std::vector<double> stored) {
    stored = stored.empty() ? values() : stored;
    hdf5::File const file(check(H5Fcreate(to.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, format().get())));
    write_group(file.get(), stored);
    for (char const* const group : {"/VTKHDF", "/VTKHDF/PointData"}) {
      hdf5::Group(check(H5Gcreate2(file.get(), group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    }
    write_text(file.get(), "/isotherm/case", "title = \"c\"\n");
    write_text(file.get(), "/isotherm/fingerprint", "{}");
    write_text(file.get(), "/isotherm/state", R"({"iteration": 7})");
    write_values(file.get(), values_path, stored);
  }

  /// The file format that isotherm writes, and newer ones for features that it lacks.
  static hdf5::PropertyList format() {
    hdf5::PropertyList access(check(H5Pcreate(H5P_FILE_ACCESS)));
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    return access;
  }

  [[nodiscard]] static hdf5::File open(std::filesystem::path const& which) {
    return hdf5::File(check(H5Fopen(which.c_str(), H5F_ACC_RDWR, format().get())));
  }

  /// Returns the message that refuses the file after `spoil` has changed it; empty if it is
  /// accepted.
  std::string refusal(std::function<void(hid_t file)> const& spoil) {
    write(path, {});
    spoil(open(path).get());
    return said_of(path);
  }
  static std::string said_of(std::filesystem::path const& file) {
    try {
      verify_snapshot(file, read_snapshot_info(file));
      return "";
    } catch (InputError const& error) {
      return error.what();
    }
  }

  /// The message after an attribute has been replaced by one of another type or shape, with all
  /// bytes 1.
  std::string with_attribute(char const* name, hid_t type, hid_t space) {
    return refusal([&](hid_t file) {
      hdf5::Group const own(check(H5Gopen2(file, "isotherm", H5P_DEFAULT)));
      check(H5Adelete(own.get(), name));
      hdf5::Attribute const attribute(
          check(H5Acreate2(own.get(), name, type, space, H5P_DEFAULT, H5P_DEFAULT)));
      std::vector<char> const bytes(
          H5Tget_size(type) * static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), 1);
      if (!bytes.empty() && H5Tis_variable_str(type) <= 0 && H5Tget_class(type) != H5T_REFERENCE) {
        check(H5Awrite(attribute.get(), type, bytes.data()));
      }
    });
  }
  template <class T>
  std::string with_number(char const* name, T value) {
    return refusal([&](hid_t file) {
      hdf5::Group const own(check(H5Gopen2(file, "isotherm", H5P_DEFAULT)));
      check(H5Adelete(own.get(), name));
      hdf5::write_attribute(own.get(), name, value);
    });
  }
  /// The message after the object `name` has been replaced by what `put` creates.
  std::string with_other(char const* name, std::function<void(hid_t file)> const& put) {
    return refusal([&](hid_t file) {
      check(H5Ldelete(file, name, H5P_DEFAULT));
      put(file);
    });
  }

  hdf5::QuietErrors quiet;
  std::filesystem::path directory;
  std::filesystem::path path;
};

testing::AssertionResult says(std::string const& message, std::string const& part) {
  if (message.find(part) != std::string::npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << '"' << message << "\" does not say \"" << part << '"';
}

TEST_F(HostileSnapshot, ValidFileIsAccepted) {
  EXPECT_EQ(refusal([](hid_t) {}), "");
}

TEST_F(HostileSnapshot, ManyTextsInAnAttributeAreRefused) {
  hdf5::Datatype const text = hdf5::text_type(8, H5T_CSET_UTF8);
  hdf5::Dataspace const hundred = space_of({100});
  hdf5::Dataspace const none(check(H5Screate(H5S_NULL)));

  for (char const* const name : {"version", "field", "role", "reason"}) {
    EXPECT_TRUE(says(with_attribute(name, text.get(), hundred.get()), "is not a single string"))
        << name;
    EXPECT_TRUE(says(with_attribute(name, text.get(), none.get()), "is not a single string"))
        << name;
  }
}

TEST_F(HostileSnapshot, HugeAttributesAreRefusedBeforeOpening) {
  hdf5::Datatype const text = hdf5::text_type(60'000, H5T_CSET_UTF8);
  hdf5::Dataspace const many = space_of({64});

  EXPECT_TRUE(says(with_attribute("version", text.get(), many.get()), "its attributes have"));
}

TEST_F(HostileSnapshot, LongTextInAnAttributeIsRefused) {
  hdf5::Datatype const text = hdf5::text_type(100'000, H5T_CSET_UTF8);
  hdf5::Dataspace const one(check(H5Screate(H5S_SCALAR)));

  EXPECT_TRUE(
      says(with_attribute("version", text.get(), one.get()), "is a string of 100000 bytes"));
}

TEST_F(HostileSnapshot, AttributeOfAnotherTypeIsRefused) {
  hdf5::Datatype const variable(check(H5Tcopy(H5T_C_S1)));
  check(H5Tset_size(variable.get(), H5T_VARIABLE));
  hdf5::Datatype const compound(check(H5Tcreate(H5T_COMPOUND, 8)));
  check(H5Tinsert(compound.get(), "a", 0, H5T_STD_I64LE));
  hdf5::Dataspace const one(check(H5Screate(H5S_SCALAR)));
  hdf5::Dataspace const three = space_of({3});

  EXPECT_TRUE(says(with_attribute("version", variable.get(), one.get()),
                   "is not a string of fixed length"));
  EXPECT_TRUE(
      says(with_attribute("version", H5T_STD_I64LE, one.get()), "is not a string of fixed length"));
  for (hid_t const type : {compound.get(), H5T_STD_REF_OBJ, H5T_STD_I32LE, H5T_IEEE_F64LE}) {
    EXPECT_TRUE(says(with_attribute("iteration", type, one.get()), "is not an int64"));
    EXPECT_TRUE(says(with_attribute("points", type, three.get()), "is not an int64"));
  }
  EXPECT_TRUE(says(with_attribute("time", H5T_STD_I64LE, one.get()), "is not a float64"));
  EXPECT_TRUE(says(with_attribute("checksum", H5T_STD_I64LE, one.get()), "is not a uint64"));
}

TEST_F(HostileSnapshot, HugeTextsAreRefused) {
  for (char const* const name : {"/isotherm/case", "/isotherm/fingerprint", "/isotherm/state"}) {
    auto const refused_as = [&](std::size_t bytes, std::string const& part,
                                hdf5::PropertyList const& how, Shape const& shape = {1}) {
      EXPECT_TRUE(says(with_other(name,
                                  [&](hid_t file) {
                                    auto const type = hdf5::text_type(bytes, H5T_CSET_UTF8);
                                    create(file, name, type.get(), shape, how);
                                  }),
                       part))
          << name;
    };
    refused_as(std::size_t{1} << 30, "is a string of 1073741824 bytes, more than", creation());
    refused_as(std::size_t{1} << 19, "has 524288 bytes, but the file contains only 0", creation());
    refused_as(8, "is not a single string", creation(), {2});
    refused_as(8, "is not a single string", creation(), {1, 1});
    hdf5::PropertyList const deflated = creation();
    hsize_t const one = 1;
    check(H5Pset_chunk(deflated.get(), 1, &one));
    check(H5Pset_deflate(deflated.get(), 9));
    refused_as(8, "the chunk index of", deflated);
    refused_as(std::size_t{1} << 19, "has 524288 bytes, but the file contains only 0", deflated);
  }
}

TEST_F(HostileSnapshot, VariableLengthTextIsRefused) {
  hdf5::Datatype const variable(check(H5Tcopy(H5T_C_S1)));
  check(H5Tset_size(variable.get(), H5T_VARIABLE));

  EXPECT_TRUE(
      says(with_other("/isotherm/state",
                      [&](hid_t file) { create(file, "/isotherm/state", variable.get(), {1}); }),
           "not a string of fixed length"));
}

TEST_F(HostileSnapshot, ExternalDataAreRefusedBeforeOpening) {
  std::filesystem::path const fifo = directory / "fifo";  // opening it would block
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);

  for (char const* const name : {"/isotherm", "/isotherm/case", "/isotherm/state", "/VTKHDF",
                                 "/VTKHDF/PointData", values_path}) {
    EXPECT_TRUE(says(with_other(name,
                                [&](hid_t file) {
                                  check(H5Lcreate_external(fifo.c_str(), "/u", file, name,
                                                           H5P_DEFAULT, H5P_DEFAULT));
                                }),
                     "is a link to another file"))
        << name;
    EXPECT_TRUE(
        says(with_other(name,
                        [&](hid_t file) {
                          check(H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT));
                        }),
             "is a symbolic link"))
        << name;
  }
}

TEST_F(HostileSnapshot, ExternalValuesAreRefused) {
  hdf5::PropertyList const external = creation();
  check(H5Pset_external(external.get(), "/etc/passwd", 0, 24 * sizeof(double)));

  EXPECT_TRUE(says(with_other(values_path,
                              [&](hid_t file) {
                                create(file, values_path, H5T_IEEE_F64LE, {2, 3, 4}, external);
                              }),
                   "the values of \"u\" are stored in another file"));
  EXPECT_TRUE(says(with_other("/isotherm/state",
                              [&](hid_t file) {
                                auto const text = hdf5::text_type(8, H5T_CSET_UTF8);
                                create(file, "/isotherm/state", text.get(), {1}, external);
                              }),
                   "the values of \"state\" are stored in another file"));
}

TEST_F(HostileSnapshot, VirtualValuesAreRefused) {
  // ".": the dataset refers to itself
  for (char const* const source : {".", "fifo", "/etc/passwd"}) {
    hdf5::PropertyList const how = creation();
    hdf5::Dataspace const space = space_of({2, 3, 4});
    check(H5Pset_virtual(how.get(), space.get(), source, values_path, space.get()));

    EXPECT_TRUE(says(with_other(values_path,
                                [&](hid_t file) {
                                  create(file, values_path, H5T_IEEE_F64LE, {2, 3, 4}, how);
                                }),
                     "is a virtual dataset"))
        << source;
  }
}

TEST_F(HostileSnapshot, UnlimitedVirtualValuesAreRefused) {
  Shape const size{2, 3, 4};
  Shape const largest{H5S_UNLIMITED, 3, 4};
  hdf5::Dataspace const space(check(H5Screate_simple(3, size.data(), largest.data())));
  Shape const start{0, 0, 0};
  Shape const count{H5S_UNLIMITED, 1, 1};
  Shape const block{1, 3, 4};
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), block.data(), count.data(),
                            block.data()));
  hdf5::PropertyList const how = creation();
  check(H5Pset_virtual(how.get(), space.get(), ".", values_path, space.get()));

  std::string const said = with_other(values_path, [&](hid_t file) {
    hdf5::Dataset(check(H5Dcreate2(file, values_path, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                   how.get(), H5P_DEFAULT)));
  });

  EXPECT_TRUE(says(said, "is a virtual dataset"));
}

TEST_F(HostileSnapshot, InvalidNumbersAreRefused) {
  using Whole = std::vector<std::int64_t>;
  using Real = std::vector<double>;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t huge = std::int64_t{1} << 40;

  for (double const wrong : {0.0, -1.0, nan, infinite}) {
    EXPECT_TRUE(says(with_number("spacing", Real{1, wrong, 1}), "its spacing is")) << wrong;
  }
  for (double const wrong : {nan, infinite, -infinite}) {
    EXPECT_TRUE(says(with_number("lower", Real{0, wrong, 0}), "its lower is")) << wrong;
    EXPECT_TRUE(says(with_number("time", wrong), "its time is")) << wrong;
  }
  for (std::int64_t const wrong : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-3}, huge + 3}) {
    EXPECT_TRUE(says(with_number("dimension", wrong), "its dimension is")) << wrong;
  }
  for (Whole const& wrong : {Whole{0, 3, 2}, Whole{4, -3, 2}, Whole{-4, -3, 2}}) {
    EXPECT_TRUE(says(with_number("points", wrong), "points on an axis (at least 1)"));
  }
  EXPECT_TRUE(
      says(with_number("points", Whole{huge, huge, huge}), "exceed the largest possible grid"));
  EXPECT_TRUE(says(with_number("points", Whole{huge, 3, 2}), "points instead of"));
  EXPECT_TRUE(says(with_number("dimension", std::int64_t{2}), "2 points along z"));
  EXPECT_TRUE(says(with_number("periodic", Whole{0, 2, 0}), "its periodic is 2"));
  EXPECT_TRUE(says(with_number("can_resume", std::int64_t{-1}), "its can_resume is -1"));
  EXPECT_TRUE(says(with_number("iteration", std::int64_t{-1}), "its iteration is -1"));
  EXPECT_TRUE(says(with_number("format", std::int64_t{0}), "its format is 0"));
  EXPECT_TRUE(says(with_number("format", std::int64_t{4}), "a newer isotherm"));
  // format 2 requires graded axes
  EXPECT_TRUE(says(with_number("format", std::int64_t{2}), "is damaged"));
  EXPECT_TRUE(says(with_number("role", std::string("master")), "its role is \"master\""));
  for (char const* const wrong : {"", "../u", "a/b", ".", "u\x1b[2J"}) {
    EXPECT_TRUE(says(with_number("field", std::string(wrong)), "cannot name a field")) << wrong;
  }
}

class HostileValues : public HostileSnapshot {
 protected:
  /// The message for a dataset of values that was created differently and never written.
  std::string with_values(hid_t type, Shape const& shape,
                          hdf5::PropertyList const& how = creation()) {
    return with_other(values_path,
                      [&](hid_t file) { create(file, values_path, type, shape, how); });
  }
};

TEST_F(HostileValues, OtherTypeIsRefused) {
  hdf5::Datatype const odd(check(H5Tcopy(H5T_IEEE_F64LE)));  // as wide as float64, but another type
  check(H5Tset_fields(odd.get(), 63, 50, 13, 0, 50));

  for (hid_t const type :
       {H5T_STD_I64LE, H5T_STD_I32LE, H5T_IEEE_F64BE, H5T_STD_REF_OBJ, odd.get()}) {
    EXPECT_TRUE(says(with_values(type, {2, 3, 4}), "neither float32 nor float64"));
  }
}

TEST_F(HostileValues, OtherShapeIsRefused) {
  EXPECT_TRUE(says(with_values(H5T_IEEE_F64LE, {6, 4}), "2 axes"));
  EXPECT_TRUE(says(with_values(H5T_IEEE_F64LE, {4, 3, 2}), "instead of 4 x 3 x 2"));
}

TEST_F(HostileValues, InvalidChunksAreRefused) {
  hdf5::PropertyList const chunked = creation();
  Shape const chunk{256, 256, 129};
  check(H5Pset_chunk(chunked.get(), 3, chunk.data()));
  Shape const size{2, 3, 4};
  Shape const unlimited(3, H5S_UNLIMITED);
  hdf5::Dataspace const space(check(H5Screate_simple(3, size.data(), unlimited.data())));

  std::string const said = with_other(values_path, [&](hid_t file) {
    hdf5::Dataset(check(H5Dcreate2(file, values_path, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                   chunked.get(), H5P_DEFAULT)));
  });

  EXPECT_TRUE(says(said, "chunks, 129 x 256 x 256, are larger than the whole field"));
}

// Layouts that other programs, such as h5repack, may have written.
TEST_F(HostileValues, AnyLayoutIsRead) {
  enum Step { shuffle, deflate, fletcher };
  struct Layout {
    Shape chunk;  // empty: compact storage
    std::vector<Step> steps;
  };
  std::vector<Layout> const layouts{{{}, {}},
                                    {{2, 3, 4}, {}},
                                    {{1, 2, 3}, {}},
                                    {{1, 1, 1}, {deflate}},
                                    {{1, 2, 3}, {shuffle, deflate}},
                                    {{2, 3, 4}, {deflate, shuffle}},
                                    {{2, 2, 4}, {fletcher, shuffle, deflate}},
                                    {{1, 3, 4}, {shuffle}}};
  auto const add = [](hdf5::PropertyList const& how, std::vector<Step> const& steps) {
    for (Step const step : steps) {
      check(step == shuffle   ? H5Pset_shuffle(how.get())
            : step == deflate ? H5Pset_deflate(how.get(), 4)
                              : H5Pset_fletcher32(how.get()));
    }
  };
  for (Layout const& layout : layouts) {
    SCOPED_TRACE(testing::PrintToString(layout.chunk) + testing::PrintToString(layout.steps));
    hdf5::PropertyList const how = creation();
    hdf5::PropertyList const of_text = creation();
    if (layout.chunk.empty()) {
      check(H5Pset_layout(how.get(), H5D_COMPACT));
      check(H5Pset_layout(of_text.get(), H5D_COMPACT));
    } else {
      hsize_t const one = 1;
      check(H5Pset_chunk(how.get(), 3, layout.chunk.data()));
      check(H5Pset_chunk(of_text.get(), 1, &one));
    }
    add(how, layout.steps);
    add(of_text, layout.steps);

    EXPECT_EQ(
        refusal([&](hid_t file) {
          for (char const* const name : {values_path, "/isotherm/case"}) {
            check(H5Ldelete(file, name, H5P_DEFAULT));
          }
          std::string const text(50, 'c');
          auto const type = hdf5::text_type(text.size(), H5T_CSET_ASCII);
          hdf5::Dataset const of_case = create(file, "/isotherm/case", type.get(), {1}, of_text);
          check(H5Dwrite(of_case.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()));
          hdf5::Dataset const dataset = create(file, values_path, H5T_IEEE_F64LE, {2, 3, 4}, how);
          check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         values().data()));
        }),
        "");

    SnapshotInfo const info = read_snapshot_info(path);
    EXPECT_EQ(info.case_text, std::string(50, 'c'));
    std::vector<float> some(4);
    StoredField(path, info).read(GlobalBox{{1, 1, 0}, {3, 2, 2}}, some.data());
    EXPECT_EQ(some, (std::vector<float>{5.5F, 6.5F, 17.5F, 18.5F}));
  }
}

TEST_F(HostileValues, ChunksMayDivideVectors) {
  Shape const shape{2, 3, 4, 3};
  Shape const chunk{1, 2, 3, 2};
  std::vector<double> numbers(72);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  hdf5::PropertyList const how = creation();
  check(H5Pset_chunk(how.get(), 4, chunk.data()));
  check(H5Pset_deflate(how.get(), 4));
  hdf5::File const file = open(path);
  hdf5::Dataset const dataset = create(file.get(), "/v", H5T_IEEE_F64LE, shape, how);
  check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));

  std::vector<double> all(72);
  read_chunked_box(dataset, 4, GlobalBox{{}, {12, 3, 2}}, all.data());
  EXPECT_EQ(all, numbers);
  std::vector<double> some(12);  // x = 2 … 3, y = 1, z = 0 … 1
  read_chunked_box(dataset, 4, GlobalBox{{6, 1, 0}, {12, 2, 2}}, some.data());
  EXPECT_EQ(some, (std::vector<double>{18, 19, 20, 21, 22, 23, 54, 55, 56, 57, 58, 59}));
}

TEST_F(HostileValues, UnknownFilterIsRefused) {
  Shape const chunk{2, 3, 4};
  for (H5Z_filter_t const filter : {H5Z_FILTER_NBIT, H5Z_FILTER_SCALEOFFSET, 32'000}) {
    hdf5::PropertyList const how = creation();
    check(H5Pset_chunk(how.get(), 3, chunk.data()));
    check(H5Pset_filter(how.get(), filter, H5Z_FLAG_OPTIONAL, 0, nullptr));
    if (filter == H5Z_FILTER_SCALEOFFSET) {
      check(H5Premove_filter(how.get(), filter));
      check(H5Pset_scaleoffset(how.get(), H5Z_SO_FLOAT_DSCALE, 3));
    }
    EXPECT_TRUE(says(with_values(H5T_IEEE_F64LE, chunk, how), "written with filter")) << filter;
  }
  hdf5::PropertyList const twice = creation();
  check(H5Pset_chunk(twice.get(), 3, chunk.data()));
  check(H5Pset_deflate(twice.get(), 1));
  check(H5Pset_deflate(twice.get(), 1));
  EXPECT_TRUE(says(with_values(H5T_IEEE_F64LE, chunk, twice), "written with filter 1 "));
}

TEST_F(HostileValues, UnwrittenValuesAreReported) {
  Shape const chunk{2, 3, 4};
  hdf5::PropertyList const how = creation();
  check(H5Pset_chunk(how.get(), 3, chunk.data()));

  EXPECT_TRUE(says(with_values(H5T_IEEE_F64LE, chunk, how),
                   "a part is missing: it contains 0 of 192 bytes"));
}

TEST_F(HostileValues, MissingBytesAreRefused) {
  EXPECT_TRUE(
      says(with_values(H5T_IEEE_F64LE, {2, 3, 4}), "in the values of \"u\": a part is missing"));

  std::string const said = refusal([&](hid_t file) {
    Shape const shape{1 << 15, 1 << 20, 1 << 20};
    check(H5Ldelete(file, values_path, H5P_DEFAULT));
    create(file, values_path, H5T_IEEE_F64LE, shape);
    hdf5::Group const own(check(H5Gopen2(file, "isotherm", H5P_DEFAULT)));
    check(H5Adelete(own.get(), "points"));
    hdf5::write_attribute(own.get(), "points",
                          std::vector<std::int64_t>{1 << 20, 1 << 20, 1 << 15});
  });
  EXPECT_TRUE(says(said, "too few for the values of 1048576 x 1048576 x 32768 points"));
}

TEST_F(HostileValues, VerifyFindsReplacedValues) {
  std::vector<double> other = values();
  other[5] += 1.0;
  std::filesystem::path const sound = directory / "sound.vtkhdf";
  write(sound, {});
  {
    hdf5::File const file = open(path);
    check(H5Ldelete(file.get(), values_path, H5P_DEFAULT));
    write_values(file.get(), values_path, other);
  }

  EXPECT_EQ(said_of(sound), "");
  EXPECT_EQ(said_of(path), path.string() + " is damaged: the checksum of its values is wrong");
}

/// Returns `bytes` zero bytes, deflated.
std::vector<char> bomb(std::size_t bytes) {
  std::vector<char> const zeros(bytes);
  std::vector<char> packed(compressBound(zeros.size()));
  auto length = static_cast<uLongf>(packed.size());
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                      reinterpret_cast<Bytef const*>(zeros.data()), zeros.size(), 9),
            Z_OK);
  packed.resize(length);
  return packed;
}

TEST_F(HostileValues, ChunkThatUnpacksTooLargeIsRefused) {
  Shape const chunk{2, 3, 4};
  hdf5::PropertyList const how = creation();
  check(H5Pset_chunk(how.get(), 3, chunk.data()));
  check(H5Pset_deflate(how.get(), 9));
  auto const said_of_bomb = [&](std::size_t bytes) {
    auto const chunk_bytes = bomb(bytes);
    return with_other(values_path, [&](hid_t file) {
      hdf5::Dataset const dataset = create(file, values_path, H5T_IEEE_F64LE, chunk, how);
      Shape const first{0, 0, 0};
      check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, first.data(), chunk_bytes.size(),
                           chunk_bytes.data()));
    });
  };

  EXPECT_TRUE(says(said_of_bomb(100'000), "a chunk of values cannot be decompressed"));
  EXPECT_TRUE(says(said_of_bomb(10'000'000), "a chunk of its values is too long"));
}

TEST_F(HostileValues, NonFiniteValuesCannotBeResumed) {
  std::vector<double> infinite = values();
  infinite[3] = std::numeric_limits<double>::infinity();
  write(path, infinite);

  EXPECT_TRUE(says(said_of(path), "infinite or not a number"));
}

TEST_F(HostileSnapshot, TooManyFieldsAreRefusedBeforeListing) {
  EXPECT_TRUE(says(refusal([](hid_t file) {
                     for (int i = 0; i < 1000; ++i) {
                       std::string const name = "/VTKHDF/PointData/v" + std::to_string(i);
                       check(H5Lcreate_hard(file, values_path, file, name.c_str(), H5P_DEFAULT,
                                            H5P_DEFAULT));
                     }
                   }),
                   "it has 1001 fields (at most 1000)"));
}

TEST_F(HostileSnapshot, ListsOnlyFieldsWithValidNamesInTheFile) {
  EXPECT_EQ(refusal([](hid_t file) {
              hdf5::Group const group(check(H5Gopen2(file, "/VTKHDF/PointData", H5P_DEFAULT)));
              for (std::string const& name : {std::string("source"), std::string("a\"><b"),
                                              std::string("u\x1b[2J"), std::string(4000, 'x')}) {
                check(H5Lcreate_hard(group.get(), "u", group.get(), name.c_str(), H5P_DEFAULT,
                                     H5P_DEFAULT));
              }
              check(H5Lcreate_external("/etc/passwd", "/u", group.get(), "outside", H5P_DEFAULT,
                                       H5P_DEFAULT));
            }),
            "");
  EXPECT_EQ(read_snapshot_info(path).extra_fields, std::vector<std::string>{"source"});
}

TEST_F(HostileSnapshot, SeriesEscapeMarkup) {
  SnapshotInfo const info = read_snapshot_info(path);
  std::filesystem::path const odd = directory / "u_1\"><&.vtkhdf";
  std::filesystem::copy(path, odd);
  write_series(directory, "u", {{odd, info}}, true);

  std::string text(1 << 16, '\0');
  std::FILE* const file = std::fopen((directory / "u.xmf").c_str(), "r");
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_NE(text.find("u_1&quot;&gt;&lt;&amp;.vtkhdf:/VTKHDF"), std::string::npos) << text;
}

/// Files with checksums of blocks, which the files above and those of older versions lack.
class HostileChecksums : public HostileSnapshot {
 protected:
  /// @param group  /isotherm
  static void add_table(hid_t group, std::vector<std::uint64_t> const& sums) {
    hsize_t const count = sums.size();
    hdf5::Dataset const table =
        create(group, "block_checksums/u", H5T_STD_U64LE, {std::max<hsize_t>(count, 1)});
    check(H5Dwrite(table.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, sums.data()));
  }
  static void add_checksums(hid_t file, Extent3 block, std::uint32_t wrong_by = 0) {
    hdf5::Group const own(check(H5Gopen2(file, "isotherm", H5P_DEFAULT)));
    hid_t const id = own.get();
    hdf5::write_attribute(id, "block_points", std::vector<std::int64_t>{block.x, block.y, block.z});
    hdf5::Group(check(H5Gcreate2(id, "block_checksums", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    BlockChecksums blocks{BlockGrid(points)};
    try {
      blocks.grid = BlockGrid(points, block);
    } catch (Error const&) {  // expected
    }
    SharedCheck found(blocks.grid);
    found.add(GlobalBox{{}, points}, values().data());
    blocks.of_field["u"] = found.all().blocks;
    add_table(id, blocks.of_field["u"]);
    hdf5::write_attribute(
        id, "description_checksum",
        std::uint64_t{description_checksum(info_without_checksums(), blocks)} + wrong_by);
  }
  static SnapshotInfo info_without_checksums() {
    SnapshotInfo info;
    info.grid = {3, points, {0, 0, 0}, {1, 1, 1}, {false, true, false}};
    info.iteration = 7;
    info.time_s = 0.5;
    info.case_text = "title = \"c\"\n";
    info.fingerprint = "{}";
    info.state = R"({"iteration": 7})";
    info.version = "0.1";
    info.checksum = checksum_of(points, GlobalBox{{}, points}, values().data());
    return info;
  }
};

TEST_F(HostileChecksums, ValidChecksumsAreAccepted) {
  for (Extent3 const block : {points, Extent3{4, 1, 1}, Extent3{4, 2, 1}, Extent3{4, 3, 1}}) {
    EXPECT_EQ(refusal([&](hid_t file) { add_checksums(file, block); }), "");
    EXPECT_TRUE(read_snapshot_info(path).has_block_checksums);
  }
}

TEST_F(HostileChecksums, MissingPartIsRefused) {
  for (char const* const name : {"block_points", "description_checksum"}) {
    EXPECT_TRUE(says(refusal([&](hid_t file) {
                       add_checksums(file, points);
                       check(H5Adelete_by_name(file, "isotherm", name, H5P_DEFAULT));
                     }),
                     "some of its checksums are missing"));
  }
  EXPECT_TRUE(says(refusal([&](hid_t file) {
                     add_checksums(file, points);
                     check(H5Ldelete(file, "isotherm/block_checksums", H5P_DEFAULT));
                   }),
                   "some of its checksums are missing"));
}

TEST_F(HostileChecksums, InvalidBlocksAreRefused) {
  for (Extent3 const block : {Extent3{4, 3, 0}, Extent3{3, 3, 2}, Extent3{4, 2, 2},
                              Extent3{4, -1, 1}, Extent3{4, 3, std::int64_t{1} << 62}}) {
    EXPECT_TRUE(says(refusal([&](hid_t file) { add_checksums(file, block); }), "its blocks have"));
  }
}

TEST_F(HostileChecksums, InvalidTablesAreRefused) {
  auto const with_table = [&](std::function<void(hid_t group)> const& put) {
    return refusal([&](hid_t file) {
      add_checksums(file, points);
      hdf5::Group const own(check(H5Gopen2(file, "isotherm", H5P_DEFAULT)));
      check(H5Ldelete(own.get(), "block_checksums/u", H5P_DEFAULT));
      put(own.get());
    });
  };
  hdf5::PropertyList const chunked = creation();
  hsize_t const one = 1;
  check(H5Pset_chunk(chunked.get(), 1, &one));

  EXPECT_TRUE(says(with_table([](hid_t own) {
                     add_table(own, {1, 2});
                   }),
                   "does not contain 1 numbers"));
  EXPECT_TRUE(says(with_table([](hid_t own) { add_table(own, {1}); }), "its checksum is wrong"));
  EXPECT_TRUE(
      says(with_table([](hid_t own) { create(own, "block_checksums/u", H5T_IEEE_F64LE, {1}); }),
           "each a uint64"));
  EXPECT_TRUE(says(
      with_table([&](hid_t own) { create(own, "block_checksums/u", H5T_STD_U64LE, {1}, chunked); }),
      "has 8 bytes, but the file contains only 0"));
  EXPECT_TRUE(says(with_table([](hid_t own) {
                     check(
                         H5Lcreate_soft("/x", own, "block_checksums/u", H5P_DEFAULT, H5P_DEFAULT));
                   }),
                   "is a symbolic link"));
  EXPECT_TRUE(says(with_table([](hid_t /*own*/) {}), "its checksum is wrong"));
  EXPECT_TRUE(says(refusal([](hid_t file) { add_checksums(file, points, 1); }),
                   "in its description: its checksum is wrong"));
}

TEST_F(HostileChecksums, TooManyFieldsAreRefused) {
  EXPECT_TRUE(says(refusal([](hid_t file) {
                     add_checksums(file, points);
                     for (int i = 0; i < 1000; ++i) {
                       std::string const name = "/isotherm/block_checksums/v" + std::to_string(i);
                       check(H5Lcreate_hard(file, "/isotherm/block_checksums/u", file, name.c_str(),
                                            H5P_DEFAULT, H5P_DEFAULT));
                     }
                   }),
                   "fields (at most 1000)"));
}

/// Datasets of other programs, for the key `file` of [initial].
class HostileDataset : public HostileSnapshot {
 protected:
  static std::string said_of(std::filesystem::path const& file, std::string const& name) {
    Grid grid;
    grid.points = points;
    try {
      check_dataset(file, name, grid);
      return "";
    } catch (InputError const& error) {
      return error.what();
    }
  }
  std::string with(std::function<void(hid_t file)> const& put, std::string const& name = "/v") {
    write(path, {});
    put(open(path).get());
    return said_of(path, name);
  }
  static void link(hid_t file, char const* target, char const* name) {
    check(H5Lcreate_soft(target, file, name, H5P_DEFAULT, H5P_DEFAULT));
  }
};

TEST_F(HostileDataset, SymbolicLinksWithinTheFileAreFollowed) {
  EXPECT_EQ(with([](hid_t file) { link(file, values_path, "/v"); }), "");
  EXPECT_EQ(with([](hid_t file) {
              link(file, "PointData", "/VTKHDF/data");
              link(file, "./VTKHDF//data/u", "/v");
            }),
            "");
  EXPECT_EQ(with([](hid_t file) { link(file, "VTKHDF", "/v"); }, "v/PointData/u"), "");
}

TEST_F(HostileDataset, DanglingLinksAreRefused) {
  EXPECT_TRUE(says(with([](hid_t file) { link(file, "/none", "/v"); }), "leads nowhere"));
  EXPECT_TRUE(says(with([](hid_t file) { link(file, "/v", "/v"); }), "leads nowhere"));
  EXPECT_TRUE(says(with([](hid_t file) { link(file, "/", "/v"); }), "no such dataset"));
  EXPECT_TRUE(says(with([](hid_t file) { link(file, "/VTKHDF", "/v"); }), "this is a group"));
}

TEST_F(HostileDataset, ChunksLargerThanTheDatasetAreRefused) {
  Shape const size{2, 3, 4};
  Shape const unlimited(3, H5S_UNLIMITED);
  Shape const chunk{512, 512, 512};
  hdf5::Dataspace const space(check(H5Screate_simple(3, size.data(), unlimited.data())));
  hdf5::PropertyList const chunked = creation();
  check(H5Pset_chunk(chunked.get(), 3, chunk.data()));

  EXPECT_TRUE(says(with([&](hid_t file) {
                     hdf5::Dataset(check(H5Dcreate2(file, "/v", H5T_IEEE_F32LE, space.get(),
                                                    H5P_DEFAULT, chunked.get(), H5P_DEFAULT)));
                   }),
                   "its chunks, (512, 512, 512), are larger than its shape, (2, 3, 4)"));
}

TEST_F(HostileDataset, ChunkThatUnpacksTooLargeIsRefused) {
  std::vector<double> found(24);
  Shape const chunk{2, 3, 4};
  auto const deflated = [&](int times) {
    hdf5::PropertyList how = creation();
    check(H5Pset_chunk(how.get(), 3, chunk.data()));
    while (times-- > 0) {
      check(H5Pset_deflate(how.get(), 9));
    }
    return how;
  };
  auto const read = [&] {
    hdf5::File const file = open(path);
    hdf5::Dataset const dataset(check(H5Dopen2(file.get(), "/v", H5P_DEFAULT)));
    read_chunked_box(dataset, 3, GlobalBox{{}, points}, found.data());
  };

  EXPECT_EQ(with([&](hid_t file) {
              hdf5::Dataset const dataset = create(file, "/v", H5T_STD_I32BE, chunk, deflated(1));
              std::vector<double> const written = values();
              check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             written.data()));
            }),
            "");
  read();
  EXPECT_EQ(found[23], 23.0);

  EXPECT_EQ(with([&](hid_t file) {
              hdf5::Dataset const dataset = create(file, "/v", H5T_IEEE_F64LE, chunk, deflated(1));
              auto const bytes = bomb(100'000);
              Shape const first{0, 0, 0};
              check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, first.data(), bytes.size(),
                                   bytes.data()));
            }),
            "");
  EXPECT_THROW(read(), Error);
  EXPECT_EQ(with([&](hid_t file) { create(file, "/v", H5T_IEEE_F64LE, chunk, deflated(2)); }), "");
  EXPECT_THROW(read(), Error);
}

TEST_F(HostileDataset, ExternalDatasetIsRefusedWithAdvice) {
  std::filesystem::path const fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  hdf5::PropertyList const external = creation();
  check(H5Pset_external(external.get(), fifo.c_str(), 0, 24 * sizeof(double)));
  hdf5::PropertyList const itself = creation();
  hdf5::Dataspace const space = space_of({2, 3, 4});
  check(H5Pset_virtual(itself.get(), space.get(), ".", "/v", space.get()));

  for (auto const& [said, kind] :
       {std::pair{with([&](hid_t file) {
                    check(H5Lcreate_external(fifo.c_str(), "/u", file, "/v", H5P_DEFAULT,
                                             H5P_DEFAULT));
                  }),
                  "is a link to another file"},
        std::pair{with([&](hid_t file) {
                    create(file, "/v", H5T_IEEE_F64LE, {2, 3, 4}, external);
                  }),
                  "are stored in another file"},
        std::pair{with([&](hid_t file) {
                    create(file, "/v", H5T_IEEE_F64LE, {2, 3, 4}, itself);
                  }),
                  "is a virtual dataset"}}) {
    EXPECT_TRUE(says(said, kind));
    EXPECT_TRUE(says(said, "make a copy that contains the values"));
  }
}

}  // namespace
}  // namespace isotherm::test
