#include <gmock/gmock.h>

#include "core/predict/tables/profile.h"

namespace highwater::predict {
namespace {

constexpr base::Bytes operator""_MiB(unsigned long long n) {
    return static_cast<base::Bytes>(n) * base::kMiB;
}

std::string idOf(std::string_view name, base::Bytes memory) {
    const auto profiles = loadProfiles();
    EXPECT_TRUE(profiles) << profiles.error().message;
    const DeviceProfile* profile = profileOf(*profiles, name, memory);
    return profile ? profile->id : "";
}

TEST(ProfileOf, KnowsWhatDriversCallThem) {  // names and totals as in nvidia-smi
    EXPECT_EQ(idOf("NVIDIA H200", 143771_MiB), "h200");
    EXPECT_EQ(idOf("NVIDIA H100 80GB HBM3", 81559_MiB), "h100");
    EXPECT_EQ(idOf("NVIDIA H100 PCIe", 81559_MiB), "h100");
    EXPECT_EQ(idOf("NVIDIA A100-SXM4-80GB", 81920_MiB), "a100-80");
    EXPECT_EQ(idOf("NVIDIA A100 80GB PCIe", 81920_MiB), "a100-80");
    EXPECT_EQ(idOf("NVIDIA A100-SXM4-40GB", 40960_MiB), "a100-40");
    EXPECT_EQ(idOf("A100-PCIE-40GB", 40536_MiB), "a100-40");
    EXPECT_EQ(idOf("NVIDIA L40S", 46068_MiB), "l40s");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 4090", 24564_MiB), "rtx4090");
    EXPECT_EQ(idOf("GeForce RTX 3090", 24576_MiB), "rtx3090");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 3060", 12288_MiB), "rtx3060");
    EXPECT_EQ(idOf("Tesla T4", 15360_MiB), "t4");
    EXPECT_EQ(idOf("Tesla V100-SXM2-32GB", 32768_MiB), "v100");
    EXPECT_EQ(idOf("Tesla V100-PCIE-32GB", 32510_MiB), "v100");
    EXPECT_EQ(idOf("NVIDIA RTX 6000 Ada Generation", 49140_MiB), "rtx6000-ada");
    EXPECT_EQ(idOf("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 97887_MiB), "rtx-pro-6000");
    EXPECT_EQ(idOf("NVIDIA RTX A4000", 16376_MiB), "a4000");
    EXPECT_EQ(idOf("RTX A5000", 24256_MiB), "a5000");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 5070", 12227_MiB), "rtx5070");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 5070 Ti", 16303_MiB), "rtx5070ti");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 3060 Laptop GPU", 6144_MiB), "rtx3060-laptop");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 3080 Ti", 12288_MiB), "rtx3080ti");
    EXPECT_EQ(idOf("GeForce GTX 1080 Ti", 11178_MiB), "gtx1080ti");
    EXPECT_EQ(idOf("TITAN RTX", 24220_MiB), "titan-rtx");
    EXPECT_EQ(idOf("NVIDIA TITAN RTX", 24576_MiB), "titan-rtx");
    EXPECT_EQ(idOf("Quadro RTX 5000", 16125_MiB), "quadro-rtx5000");
    EXPECT_EQ(idOf("Quadro RTX 6000", 22698_MiB), "quadro-rtx6000") << "with ECC";
    EXPECT_EQ(idOf("NVIDIA GB10", 122570_MiB), "gb10");
}

TEST(ProfileOf, AnotherModelOrAnotherMemoryIsNone) {
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 3090 Ti", 24576_MiB), "");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 4090 D", 24564_MiB), "");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 4090 Laptop GPU", 16376_MiB), "");
    EXPECT_EQ(idOf("NVIDIA GeForce RTX 3060", 8192_MiB), "") << "the 8 GB model";
    EXPECT_EQ(idOf("Tesla V100-SXM2-16GB", 16384_MiB), "");
    EXPECT_EQ(idOf("NVIDIA H100 NVL", 95830_MiB), "");
    EXPECT_EQ(idOf("NVIDIA L40", 46068_MiB), "");
    EXPECT_EQ(idOf("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 40192_MiB), "");
    EXPECT_EQ(idOf("GRID A100-40C", 40960_MiB), "");
    EXPECT_EQ(idOf("NVIDIA RTX PRO 6000 Blackwell Server Edition", 97887_MiB), "") << "lower clocks";
    EXPECT_EQ(idOf("Quadro RTX 8000", 48601_MiB), "");
    EXPECT_EQ(idOf("NVIDIA", 24576_MiB), "");
    EXPECT_EQ(idOf("", 0), "");
}

}  // namespace
}  // namespace highwater::predict
