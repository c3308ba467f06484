#include "app/machine/device_choice.hpp"

#include <gtest/gtest.h>

// The hint about device code that was compiled for a short build.

namespace isotherm::app {
namespace {

TEST(HintAboutDeviceCode, WarnsOfSlowDeviceCode) {
  BuildInfo build = build_info();
  build.slow_device_code = true;
  Device device;
  device.backend = Backend::cuda;

  EXPECT_NE(hint_about_device_code(device, build).find("ISOTHERM_QUICK_DEVICE_CODE"),
            std::string::npos);

  device.backend = Backend::cpu;
  EXPECT_EQ(hint_about_device_code(device, build), "");
}

TEST(HintAboutDeviceCode, NoneForFastDeviceCode) {
  BuildInfo build = build_info();
  build.slow_device_code = false;
  Device device;
  device.backend = Backend::cuda;

  EXPECT_EQ(hint_about_device_code(device, build), "");
}

}  // namespace
}  // namespace isotherm::app
