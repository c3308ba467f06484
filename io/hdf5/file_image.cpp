#include "io/hdf5/file_image.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "io/hdf5/file_driver.hpp"

namespace isotherm::hdf5 {
namespace {

using Content = FileImage::Content;

/// The driver's open file. HDF5 requires its own struct as the first member, and passes pointers to
/// that.
struct OpenFile {
  H5FD_t hdf5s_own;
  Content* content;
};

/// Converts HDF5's pointer to the image's content.
Content& content_of(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file)->content; }
Content const& content_of(H5FD_t const* file) {
  return *reinterpret_cast<OpenFile const*>(file)->content;
}

/// Calls work(offset of the page, offset in the page, offset in the range, bytes) for each page
/// that a range touches.
template <class Work>
void for_each_page(haddr_t at, std::size_t bytes, Work&& work) {
  for (std::size_t done = 0; done < bytes;) {
    std::uint64_t const inside = (at + done) % FileImage::page_bytes;
    std::size_t const part = std::min<std::size_t>(bytes - done, FileImage::page_bytes - inside);
    work(at + done - inside, inside, done, part);
    done += part;
  }
}

// The callbacks of the driver. HDF5 is a C library, so no exception may pass through it. open()
// finds the content's address in the access properties.
H5FD_t* open(char const* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*largest*/) {
  auto const* const content = static_cast<Content* const*>(H5Pget_driver_info(access));
  auto* const file = content == nullptr ? nullptr : new (std::nothrow) OpenFile{{}, *content};
  return file == nullptr ? nullptr : &file->hdf5s_own;
}

herr_t close(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

herr_t query(H5FD_t const* /*file*/, unsigned long* features) {
  *features = H5FD_FEAT_AGGREGATE_METADATA;  // HDF5 allocates small metadata in common blocks
  return 0;
}

/// Allocated end and end of file are the same: the image grows as HDF5 allocates.
haddr_t get_end(H5FD_t const* file, H5FD_mem_t /*type*/) { return content_of(file).end; }

/// HDF5 extends the file by this call when it allocates an address, also for values that it never
/// writes.
herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  content_of(file).end = end;
  return 0;
}

/// Reads from the image; bytes of missing pages are zero.
herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t bytes,
            void* to) {
  auto const& pages = content_of(file).pages;
  for_each_page(at, bytes, [&](auto page, auto inside, auto done, auto part) {
    auto const found = pages.find(page);
    char* const target = static_cast<char*>(to) + done;
    if (found == pages.end()) {
      std::memset(target, 0, part);
    } else {
      std::memcpy(target, found->second.bytes.data() + inside, part);
    }
  });
  return 0;
}

/// Writes to the image and marks the bytes. Raw data of place_chunk() is dropped, but its address
/// is recorded.
herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t at, std::size_t bytes,
             void const* from) try {
  Content& content = content_of(file);
  if (content.drops_values && type == H5FD_MEM_DRAW) {
    content.dropped_at = at;
    return 0;
  }
  for_each_page(at, bytes, [&](auto page, auto inside, auto done, auto part) {
    FileImage::Page& to = content.pages.try_emplace(page).first->second;
    std::memcpy(to.bytes.data() + inside, static_cast<char const*>(from) + done, part);
    for (std::size_t i = inside; i < inside + part; ++i) {
      to.written.set(i);
    }
  });
  return 0;
} catch (std::bad_alloc const&) {
  return -1;
}

/// Registers the driver at the first call and returns its id.
hid_t driver() {
  static H5FD_class_t const calls = [] {
    H5FD_class_t all = blank_driver("isotherm_image", 512);
    all.fapl_size = sizeof(Content*);
    all.open = open;
    all.close = close;
    all.query = query;
    all.get_eoa = get_end;
    all.set_eoa = set_end;
    all.get_eof = get_end;
    all.read = read;
    all.write = write;
    return all;
  }();
  static hid_t const id = check(H5FDregister(&calls));
  return id;
}

}  // namespace

FileImage::FileImage() {
  PropertyList const access(check(H5Pcreate(H5P_FILE_ACCESS)));
  Content* const content = &content_;
  check(H5Pset_driver(access.get(), driver(), &content));
  // The format of HDF5 1.8, which checks metadata by checksums.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18));
  // Objects of 64 KiB or more start at a multiple of the page size of disks and memory.
  check(H5Pset_alignment(access.get(), hsize_t{1} << 16, page_bytes));
  PropertyList const creation = creation_without_times(H5P_FILE_CREATE);
  // Up to 64 links remain in the root group's header, which has a checksum. By default HDF5 moves
  // them to a heap when there are more than eight.
  check(H5Pset_link_phase_change(creation.get(), 64, 8));
  file_ = File(check(H5Fcreate("image", H5F_ACC_TRUNC, creation.get(), access.get())));
}

PropertyList FileImage::contiguous() {
  PropertyList creation = creation_without_times(H5P_DATASET_CREATE);
  check(H5Pset_layout(creation.get(), H5D_CONTIGUOUS));
  // Early allocation gives the dataset its address immediately; without fill values HDF5 writes
  // nothing there.
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
  return creation;
}

std::uint64_t FileImage::address_of(Dataset const& dataset) {
  haddr_t const place = H5Dget_offset(dataset.get());
  require(place != HADDR_UNDEF, "HDF5: a dataset has no address in its file");
  return place;
}

std::uint64_t FileImage::place_chunk(Dataset const& dataset, std::vector<hsize_t> const& first,
                                     std::size_t bytes, std::uint32_t filters_left_out) {
  // HDF5 passes these bytes to the driver, which drops them: only size, mask and address of the
  // chunk enter the metadata.
  never_read_.resize(std::max(never_read_.size(), bytes));
  content_.drops_values = true;
  herr_t const placed = H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, filters_left_out, first.data(),
                                       bytes, never_read_.data());
  content_.drops_values = false;
  check(placed);
  return content_.dropped_at;
}

void FileImage::flush() { check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL)); }

// A global heap starts with its signature "GCOL", version 1 and three zero bytes, then its length.
std::vector<FileImage::Part> FileImage::heaps() const {
  constexpr std::string_view name{"GCOL\1\0\0\0", 8};
  std::vector<Part> found;
  for (auto const& [offset, page] : content_.pages) {
    // The search window extends beyond the page, since a signature may cross its end.
    std::vector<char> const bytes = content_of({offset, page_bytes + name.size() - 1});
    std::string_view const text(bytes.data(), bytes.size());
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
      std::uint64_t length = 0;
      std::memcpy(&length, content_of({offset + at + name.size(), sizeof length}).data(),
                  sizeof length);
      // A heap that would reach beyond the file is not one.
      if (length <= content_.end - (offset + at)) found.push_back({offset + at, length});
    }
  }
  return found;
}

std::vector<char> FileImage::content_of(Part part) const {
  std::vector<char> bytes(part.bytes);
  for_each_page(part.place, part.bytes, [&](auto page, auto inside, auto done, auto count) {
    auto const found = content_.pages.find(page);
    if (found == content_.pages.end()) return;
    std::memcpy(bytes.data() + done, found->second.bytes.data() + inside, count);
  });
  return bytes;
}

void FileImage::close() { hdf5::close(file_); }

}  // namespace isotherm::hdf5
