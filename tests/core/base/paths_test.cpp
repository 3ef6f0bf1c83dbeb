#include "core/base/paths.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace highwater::base {
namespace {

TEST(OwnFolders, FollowTheEnvironment) {
    ::setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(defaultStoreFolder(), "/data/highwater");
    ::unsetenv("XDG_DATA_HOME");
    ::setenv("HOME", "/home/someone", 1);
    EXPECT_EQ(defaultStoreFolder(), "/home/someone/.local/share/highwater");
}

/// A fixed name in a folder that others can write to may belong to somebody else.
TEST(OwnFolders, WithoutHomeAreTheUsersOwn) {
    const passwd* const user = ::getpwuid(::geteuid());
    const std::filesystem::path home = user != nullptr && *user->pw_dir == '/' ? user->pw_dir : "/";
    for (const char* given : {"", "relative"}) {
        ::unsetenv("XDG_DATA_HOME");
        ::unsetenv("XDG_CONFIG_HOME");
        ::setenv("HOME", given, 1);
        EXPECT_EQ(defaultStoreFolder(), home / ".local/share/highwater");
        EXPECT_EQ(configFolder(), home / ".config/highwater");
    }
    ::unsetenv("HOME");
    EXPECT_EQ(defaultStoreFolder(), home / ".local/share/highwater");
}

}  // namespace
}  // namespace highwater::base
