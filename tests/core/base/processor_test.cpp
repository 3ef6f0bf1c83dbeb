#include "core/base/processor.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>

namespace highwater::base {
namespace {

/// Sets an environment variable for the lifetime of this object.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const before = std::getenv(name)) {
            before_ = before;
        }
        value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(Processor, ThreadsFollowTheVariablesThatLibTorchReads) {
    const Variable noOmp("OMP_NUM_THREADS", nullptr), noMkl("MKL_NUM_THREADS", nullptr);
    EXPECT_GE(defaultThreads(), 1);
    const Variable mkl("MKL_NUM_THREADS", "5");
    EXPECT_EQ(defaultThreads(), 5);
    const Variable omp("OMP_NUM_THREADS", "3");
    EXPECT_EQ(defaultThreads(), 3);
    const Variable wrong("OMP_NUM_THREADS", "many");
    EXPECT_EQ(defaultThreads(), 5);
}

#if defined(__x86_64__)
TEST(Processor, InstructionsAreNoMoreThanOnednnMayUse) {
    const Variable noOld("DNNL_MAX_CPU_ISA", nullptr), noNew("ONEDNN_MAX_CPU_ISA", nullptr);
    const std::string own = instructionSet();
    EXPECT_TRUE((std::set<std::string>{"sse", "avx", "avx2", "avx512"}.contains(own))) << own;
    const auto with = [](const char* name, const char* value) {
        const Variable limit(name, value);
        return instructionSet();
    };
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "SSE41"), "sse");
    EXPECT_EQ(with("DNNL_MAX_CPU_ISA", "sse41"), "sse");
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "ALL"), own);
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "AVX512_CORE"), own);
    if (own != "avx2" && own != "avx512") {
        GTEST_SKIP() << "this processor has no AVX2";
    }
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "AVX"), "avx");
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "avx2"), "avx2");
    EXPECT_EQ(with("ONEDNN_MAX_CPU_ISA", "AVX2_VNNI"), "avx2");
}
#endif

TEST(Processor, TheMachineHasANameAndMemory) {
    EXPECT_FALSE(processorName().empty());
    EXPECT_GT(machineMemory(), 16 * kMiB);
}

}  // namespace
}  // namespace highwater::base
