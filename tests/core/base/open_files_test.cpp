#include "core/base/open_files.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

namespace highwater::base {
namespace {

/// Restores the previous limits.
class OpenFiles : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0); }
    void TearDown() override { ::setrlimit(RLIMIT_NOFILE, &before_); }
    static rlim_t soft() {
        rlimit now{};
        ::getrlimit(RLIMIT_NOFILE, &now);
        return now.rlim_cur;
    }
    rlimit before_{};
};

TEST_F(OpenFiles, RaiseTheSoftLimitAsFarAsNeeded) {
    const rlimit low{std::min<rlim_t>(256, before_.rlim_max), before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    EXPECT_TRUE(allowOpenFiles(10));
    EXPECT_EQ(soft(), low.rlim_cur) << "there was room";
    if (before_.rlim_max < 1200) {
        GTEST_SKIP() << "the hard limit here is " << before_.rlim_max;
    }
    EXPECT_TRUE(allowOpenFiles(1000));
    EXPECT_GT(soft(), 1000U);
    EXPECT_LT(soft(), 1300U);
}

TEST_F(OpenFiles, NameTheHardLimitWhereItIsTooLow) {
    if (before_.rlim_max == RLIM_INFINITY) {
        GTEST_SKIP() << "no hard limit here";
    }
    const auto status = allowOpenFiles(before_.rlim_max);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, ::testing::HasSubstr(std::to_string(before_.rlim_max)));
    EXPECT_EQ(soft(), before_.rlim_cur);
}

}  // namespace
}  // namespace highwater::base
