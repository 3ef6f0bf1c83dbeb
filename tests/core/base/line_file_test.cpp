#include "core/base/line_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <vector>

#include "tests/core/temporary_folder.h"

namespace highwater::base {
namespace {

using testing::ElementsAre;

std::vector<std::string> linesOf(const std::filesystem::path& path, Bytes longest = kMiB, Bytes most = kGiB) {
    LineFile file(path, longest, most);
    std::vector<std::string> lines;
    for (std::string line; file.next(line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(LineFile, GivesTheLines) {
    const test::TemporaryFolder folder;
    EXPECT_THAT(linesOf(folder.write("a", "one\n\ntwo")), ElementsAre("one", "", "two"));
    EXPECT_THAT(linesOf(folder.write("b", "one\n")), ElementsAre("one"));
    EXPECT_TRUE(linesOf(folder.write("c", "")).empty());
    const std::string wide(200'000, 'x');  // wider than the buffer
    EXPECT_THAT(linesOf(folder.write("d", wide + "\n" + wide)), ElementsAre(wide, wide));
    EXPECT_TRUE(linesOf(folder.path() / "none").empty());
    EXPECT_TRUE(linesOf(folder.path()).empty());
}

TEST(LineFile, EndsAtALineThatIsTooLongAndWhereItIsTold) {
    const test::TemporaryFolder folder;
    const auto path = folder.write("a", "one\n" + std::string(100, 'x') + "\ntwo\n");
    EXPECT_THAT(linesOf(path, 99), ElementsAre("one"));
    EXPECT_THAT(linesOf(path, 100), ElementsAre("one", std::string(100, 'x'), "two"));
    EXPECT_THAT(linesOf(path, 100, 6), ElementsAre("one", "xx"));
    ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_TRUE(linesOf(folder.path() / "pipe").empty());
}

}  // namespace
}  // namespace highwater::base
