#include "tests/core/pretend/abi_test.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

// The declarations of core/pretend/abi for CUDA's interfaces.
namespace highwater::pretend {
namespace {

TEST(PretendedAbi, IsThatOfNvidiasHeaders) {
    const AbiDescription real = realAbi();
    if (real.empty()) {
        GTEST_SKIP()
            << "the headers of CUDA and cuDNN were not found: CUDA_HOME names a toolkit that has them";
    }
    const AbiDescription declared = declaredAbi();
    for (const auto& [name, words] : real) {
        const auto found = declared.find(name);
        EXPECT_EQ(found == declared.end() ? "nothing" : found->second, words) << name;
    }
}

std::string withoutComments(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
}

void expectEach(const std::string& text, const char* pattern, const AbiDescription& described) {
    const std::regex names(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), names), end; at != end; ++at) {
        EXPECT_TRUE(described.contains((*at)[1])) << (*at)[1] << " is not in abi_names.inc";
    }
}

TEST(PretendedAbi, ComparesEveryFunctionAndEnumerator) {
    const AbiDescription described = declaredAbi();
    for (const auto& file : std::filesystem::directory_iterator(HIGHWATER_SOURCE_DIR "/core/pretend/abi")) {
        const std::string text = withoutComments(file.path());
        expectEach(text, R"(\b(\w+)\([^(){};]*\);)", described);
        expectEach(text, R"(\b([A-Za-z]\w{2,}) = -?\d+[,;])", described);
    }
}

TEST(PretendedAbi, LaysPropertiesOutAsEachVersionOfCudaDoes) {
    const AbiDescription declared = declaredAbi();
    EXPECT_EQ(declared.at("cudaDeviceProp of CUDA 12"), "1032 bytes");
    EXPECT_EQ(declared.at("cudaDeviceProp of CUDA 13"), "1008 bytes");
    EXPECT_EQ(declared.at("cudaDeviceProp of CUDA 12.multiProcessorCount"), "at 388, 4 bytes");
    EXPECT_EQ(declared.at("cudaDeviceProp of CUDA 13.multiProcessorCount"), "at 384, 4 bytes");
}

}  // namespace
}  // namespace highwater::pretend
