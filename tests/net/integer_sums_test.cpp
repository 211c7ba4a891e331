#include "net/integer_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"

namespace billow {
namespace {

TEST(IntegerSums, EveryKernelHasTheSameSumsAndLayers) {
  testing::Random random(4);
  for (uint32_t count = 1; count < 10; ++count)
    for (const uint32_t columns : {0u, 8u, 16u, 24u, 64u, 72u, 160u}) {
      const size_t panel = kPanelRows * columns;
      std::vector<std::byte> bytes(count * panel + 1);
      for (std::byte& b : bytes) b = static_cast<std::byte>(random.bits());
      std::vector<int16_t> q16(columns);
      std::vector<int8_t> q16_bytes(2 * columns);
      for (size_t j = 0; j < columns; ++j) {
        const int q = static_cast<int>(random.bits() % 65025) - 32512, high = (q + 128) >> 8;
        q16[j] = static_cast<int16_t>(q);
        q16_bytes[j / 8 * 16 + j % 8] = static_cast<int8_t>(high);
        q16_bytes[j / 8 * 16 + 8 + j % 8] = static_cast<int8_t>(q - 256 * high);
      }
      const QuantisedVector quantised{nullptr, q16.data(), q16_bytes.data()};
      const PanelRun run{bytes.data(), panel, count, columns, 64};
      std::vector<float> scales(count * kPanelRows), bias(scales.size());
      for (float& x : scales) x = random.uniform_float(1, 2);
      for (float& x : bias) x = random.uniform_float(-0.5, 0.5);
      const auto run_kernel = [&](const IntegerKernel& kernel) {
        std::vector<int32_t> sums(count * kPanelRows);
        kernel.sums(run, quantised, sums.data());
        std::vector<std::vector<float>> out;
        for (const auto layer : kernel.layers) {
          out.emplace_back(scales.size() + 1);
          out.back().back() =
              layer(run, quantised, {0x1p-24f, scales.data(), bias.data(), out.back().data()});
        }
        return std::pair(sums, out);
      };
      const auto expected = run_kernel(*integer_kernel_plain());
      for (const IntegerKernel* kernel : find_integer_kernels().by_speed)
        if (kernel) {
          ASSERT_EQ(run_kernel(*kernel), expected) << count << " panels of " << columns;
        }
    }
}

}  // namespace
}  // namespace billow
