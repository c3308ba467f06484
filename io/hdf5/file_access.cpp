#include "io/hdf5/file_access.hpp"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "io/files/descriptor.hpp"
#include "io/hdf5/file_driver.hpp"

namespace isotherm::hdf5 {
namespace {

/// The driver's open file. HDF5 requires its own struct as the first member, and passes pointers to
/// that.
struct OpenFile {
  H5FD_t hdf5s_own;
  Descriptor descriptor;  ///< opened read-only
  haddr_t bytes;          ///< length of the file
  haddr_t allowed_end;    ///< end of the file according to its superblock, set by HDF5
};

/// Converts HDF5's pointer to the driver's file.
OpenFile& file_of(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
OpenFile const& file_of(H5FD_t const* file) { return *reinterpret_cast<OpenFile const*>(file); }

// The callbacks of the driver. HDF5 is a C library, so no exception may pass through it: they
// report failures by their return values.
H5FD_t* open(char const* name, unsigned flags, hid_t /*access*/, haddr_t /*largest*/) {
  // The driver is for reading only.
  if ((flags & (H5F_ACC_RDWR | H5F_ACC_TRUNC | H5F_ACC_CREAT)) != 0) {
    return nullptr;
  }
  Descriptor descriptor(uninterrupted([&] { return ::open(name, O_RDONLY | O_CLOEXEC); }));
  struct stat status {};
  if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0) {
    return nullptr;
  }
  // HDF5 owns the object until it calls close().
  auto* const file = new (std::nothrow)
      OpenFile{{}, std::move(descriptor), static_cast<haddr_t>(status.st_size), 0};
  return file == nullptr ? nullptr : &file->hdf5s_own;
}

herr_t close(H5FD_t* file) {
  delete &file_of(file);
  return 0;
}

/// No optional features: in particular no combined metadata reads.
herr_t query(H5FD_t const* /*file*/, unsigned long* features) {
  *features = 0;
  return 0;
}

haddr_t get_allowed_end(H5FD_t const* file, H5FD_mem_t /*type*/) {
  return file_of(file).allowed_end;
}

herr_t set_allowed_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  file_of(file).allowed_end = end;
  return 0;
}

/// The length of the file when it was opened.
haddr_t get_end(H5FD_t const* file, H5FD_mem_t /*type*/) { return file_of(file).bytes; }

/// Reads exactly `bytes` bytes, or fails if the range leaves the file. The comparison cannot
/// overflow.
herr_t read(H5FD_t* handle, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t at, std::size_t bytes,
            void* to) {
  OpenFile const& file = file_of(handle);
  if (at > file.bytes || bytes > file.bytes - at) {
    return -1;
  }
  for (auto* target = static_cast<char*>(to); bytes > 0;) {
    ssize_t const got = ::pread(file.descriptor.get(), target, bytes, static_cast<off_t>(at));
    if (got <= 0 && !(got < 0 && errno == EINTR)) {
      return -1;
    }
    std::size_t const part = got < 0 ? 0 : static_cast<std::size_t>(got);
    target += part;
    at += part;
    bytes -= part;
  }
  return 0;
}

/// Returns the Descriptor, for descriptor_of().
herr_t get_handle(H5FD_t* file, hid_t /*access*/, void** handle) {
  *handle = &file_of(file).descriptor;
  return 0;
}

/// HDF5 requires this callback even for files that are only read.
herr_t refuse_write(H5FD_t* /*file*/, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t /*at*/,
                    std::size_t /*bytes*/, void const* /*from*/) {
  return -1;
}

/// Registers the driver at the first call and returns its id.
hid_t driver() {
  // HDF5 keeps a pointer to this struct, so it must be static.
  static H5FD_class_t const calls = [] {
    H5FD_class_t all = blank_driver("isotherm_reading", 513);
    all.open = open;
    all.close = close;
    all.query = query;
    all.get_eoa = get_allowed_end;
    all.set_eoa = set_allowed_end;
    all.get_eof = get_end;
    all.get_handle = get_handle;
    all.read = read;
    all.write = refuse_write;
    return all;
  }();
  static hid_t const id = check(H5FDregister(&calls));
  return id;
}

}  // namespace

PropertyList plain_reading() {
  PropertyList access(check(H5Pcreate(H5P_FILE_ACCESS)));
  check(H5Pset_driver(access.get(), driver(), nullptr));
  return access;
}

Descriptor const& descriptor_of(File const& file) {
  void* handle = nullptr;
  check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle));
  return *static_cast<Descriptor const*>(handle);
}

}  // namespace isotherm::hdf5
