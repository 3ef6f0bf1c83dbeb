#include "core/wire/follower.h"

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "tests/core/temporary_folder.h"
#include "tests/core/waiting_process.h"

namespace highwater::wire {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Follower, IsThisProcessAfterItSaidSo) {
    const highwater::test::TemporaryFolder folder;
    const auto none = readFollower(folder.path());
    ASSERT_TRUE(none.ok()) << none.error().message;
    EXPECT_FALSE(none->has_value());

    const base::ProcessIdentity engine{12, 345, "a boot", "a host"};
    ASSERT_TRUE(followRun(folder.path(), engine).ok());
    const auto found = readFollower(folder.path());
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ(**found, (Follower{base::thisProcess(), engine}));
}

TEST(Follower, OfAnotherProcessIsReplaced) {
    const highwater::test::TemporaryFolder folder;
    const base::ProcessIdentity engine{12, 345, "a boot", "a host"};
    {
        highwater::test::WaitingProcess other([&] {
            (void)followRun(folder.path(), engine).ok();
            ::_exit(0);
        });
        EXPECT_EQ(other.endedBy(), 0);
    }
    EXPECT_NE((**readFollower(folder.path())).follower, base::thisProcess());
    ASSERT_TRUE(followRun(folder.path(), engine).ok());
    EXPECT_EQ((**readFollower(folder.path())).follower, base::thisProcess());
}

TEST(Follower, DamageIsOneLineThatNamesTheFile) {
    const highwater::test::TemporaryFolder folder;
    ASSERT_TRUE(followRun(folder.path(), base::thisProcess()).ok());
    const std::string whole = *base::readFile(folder.path() / "follower.json");
    auto json = *base::parseJson(whole, "");
    json.erase("engine");
    auto wrong = *base::parseJson(whole, "");
    wrong["follower"]["start"] = "yesterday";
    auto flat = *base::parseJson(whole, "");
    flat["engine"] = 12;
    for (const std::string& text : {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"),
                                    std::string("\0\n\x80", 3), json.dump(), wrong.dump(), flat.dump()}) {
        folder.write("follower.json", text);
        const auto found = readFollower(folder.path());
        ASSERT_FALSE(found.ok()) << text;
        EXPECT_THAT(found.error().message, HasSubstr((folder.path() / "follower.json").string()));
        EXPECT_THAT(found.error().message, Not(HasSubstr("\n")));
    }
}

}  // namespace
}  // namespace highwater::wire
