#include "io/hdf5/hdf5.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <thread>
#include <unistd.h>

#include "io/snapshot/datasets/value_dataset.hpp"

// The wrappers of HDF5 objects, errors and attributes, and the lock around the library.

namespace isotherm::test {
namespace {

class Hdf5 : public testing::Test {
 protected:
  ~Hdf5() override { std::filesystem::remove(path); }

  [[nodiscard]] hdf5::File create() const {
    return hdf5::File(
        hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
  }

  hdf5::QuietErrors quiet;
  std::string path = testing::TempDir() + "isotherm_hdf5_" + std::to_string(::getpid()) + ".h5";
};

TEST_F(Hdf5, FileClosesAtTheEndOfScope) {
  {
    hdf5::File const file = create();
    EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 1);
  }

  EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
}

TEST_F(Hdf5, FailureThrowsWithPlaceAndReason) {
  try {
    hdf5::check(H5Fopen("/does/not/exist.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    FAIL() << "opening a missing file did not throw";
  } catch (Error const& error) {
    std::string const text = error.what();
    EXPECT_NE(error.place().find("hdf5_test.cpp:"), std::string::npos);
    EXPECT_EQ(text.find(".cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("H5Fopen"), std::string::npos) << text;
    EXPECT_NE(text.find("No such file or directory"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST_F(Hdf5, QuietErrorsRestoreTheErrorHandler) {
  H5E_auto2_t before = nullptr;
  H5E_auto2_t inside = nullptr;
  H5E_auto2_t after = nullptr;
  void* argument = nullptr;

  H5Eset_auto2(H5E_DEFAULT, reinterpret_cast<H5E_auto2_t>(H5Eprint2), stderr);
  H5Eget_auto2(H5E_DEFAULT, &before, &argument);
  {
    hdf5::QuietErrors const silence;
    H5Eget_auto2(H5E_DEFAULT, &inside, &argument);
  }
  H5Eget_auto2(H5E_DEFAULT, &after, &argument);

  EXPECT_EQ(inside, nullptr);
  EXPECT_EQ(after, before);
}

TEST_F(Hdf5, FailedCloseThrows) {
  hdf5::File file = create();
  H5Fclose(file.get());

  EXPECT_THROW(hdf5::close(file), Error);
}

TEST_F(Hdf5, AttributesReadBackExactly) {
  hdf5::File const file = create();
  hdf5::write_attribute(file.get(), "number", 0.1);
  hdf5::write_attribute(file.get(), "large", std::uint64_t{0xfedcba9876543210});
  hdf5::write_attribute(file.get(), "several", std::vector<std::int64_t>{-1, 2, 3});
  hdf5::write_attribute(file.get(), "text", std::string("a b"));
  hdf5::write_attribute(file.get(), "nothing", std::string());

  EXPECT_EQ(hdf5::read_attribute<double>(file.get(), "number"), 0.1);
  EXPECT_EQ(hdf5::read_attribute<std::uint64_t>(file.get(), "large"), 0xfedcba9876543210);
  EXPECT_EQ(hdf5::read_attribute<std::int64_t>(file.get(), "several", 3),
            (std::vector<std::int64_t>{-1, 2, 3}));
  EXPECT_EQ(hdf5::read_text_attribute(file.get(), "text"), "a b");
  EXPECT_EQ(hdf5::read_text_attribute(file.get(), "nothing"), "");
}

TEST_F(Hdf5, AttributesOfAnotherTypeOrSizeAreRefused) {
  hdf5::File const file = create();
  hdf5::write_attribute(file.get(), "number", 0.1);

  EXPECT_THROW(hdf5::read_attribute<double>(file.get(), "missing"), Error);
  EXPECT_THROW(hdf5::read_attribute<double>(file.get(), "number", 3), Error);
  EXPECT_THROW(hdf5::read_text_attribute(file.get(), "number"), Error);
}

TEST_F(Hdf5, ManyTextsInAnAttributeAreRefused) {
  hdf5::File const file = create();
  hsize_t const hundred = 100;
  std::string const texts(8 * hundred, 'A');
  hdf5::Datatype const type = hdf5::text_type(8, H5T_CSET_UTF8);
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(1, &hundred, nullptr)));
  hdf5::Attribute const attribute(hdf5::check(
      H5Acreate2(file.get(), "texts", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  hdf5::check(H5Awrite(attribute.get(), type.get(), texts.data()));

  EXPECT_THROW(hdf5::read_text_attribute(file.get(), "texts"), Error);
}

// HDF5 1.10 releases a table that it has not initialised if such a list is read by name. Memory
// that is not zero at first makes that visible.
TEST_F(Hdf5, DamagedListOfManyNamesIsRefused) {
  hdf5::PropertyList const access(hdf5::check(H5Pcreate(H5P_FILE_ACCESS)));
  hdf5::check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  std::vector<std::string> names;
  {
    hdf5::File const file(
        hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())));
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      names.emplace_back(3, letter);
      hdf5::check(
          H5Lcreate_soft("/none", file.get(), names.back().c_str(), H5P_DEFAULT, H5P_DEFAULT));
    }
  }
  EXPECT_EQ(names_in_root(path), names);
  std::ostringstream contents;
  contents << std::ifstream(path, std::ios::binary).rdbuf();
  std::string const bytes = contents.str();
  std::size_t refused = 0;
  mallopt(M_PERTURB, 85);
  for (char const* const part : {"FRHP", "FHDB", "BTHD", "BTLF"}) {  // the heap and its index
    std::size_t const begin = bytes.find(part);
    ASSERT_NE(begin, std::string::npos) << part;
    for (std::size_t at = begin; at < begin + 120; at += 3) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
      std::ofstream(path, std::ios::binary) << damaged;
      auto const found = names_in_root(path);
      EXPECT_LE(found.size(), names.size());
      refused += found.empty() ? 1 : 0;
    }
  }
  mallopt(M_PERTURB, 0);
  EXPECT_GT(refused, 40U);
}

TEST_F(Hdf5, TurnExcludesOtherThreads) {
  std::atomic<int> inside{0};
  std::atomic<int> meetings{0};
  auto const work = [&] {
    for (int i = 0; i < 20'000; ++i) {
      hdf5::Turn const turn;
      hdf5::Turn const again;  // the lock is recursive
      if (++inside > 1) ++meetings;
      std::this_thread::yield();
      --inside;
    }
  };
  std::thread other(work);
  work();
  other.join();

  EXPECT_EQ(meetings, 0);
}

TEST_F(Hdf5, NumbersOfAnotherTypeAreNotConverted) {
  hdf5::File const file = create();
  hdf5::write_attribute(file.get(), "number", std::int64_t{-1});

  EXPECT_THROW(hdf5::read_attribute<double>(file.get(), "number"), Error);
  EXPECT_THROW(hdf5::read_attribute<std::uint64_t>(file.get(), "number"), Error);
}

}  // namespace
}  // namespace isotherm::test
