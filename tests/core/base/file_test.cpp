#include "core/base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace highwater::base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
protected:
    fs::path folder =
        fs::path(testing::TempDir()) /
        (std::string("hw file é ") + testing::UnitTest::GetInstance()->current_test_info()->name());
    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
};

TEST_F(FileTest, WritesAndReadsBack) {
    const std::string text("a\0b\n", 4);
    ASSERT_TRUE(writeFileAtomically(folder / "x", "old"));
    ASSERT_TRUE(writeFileAtomically(folder / "x", text));
    EXPECT_EQ(*readFile(folder / "x"), text);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "no temporary file is left";
}

TEST_F(FileTest, ErrorsNameTheFile) {
    EXPECT_THAT(readFile(folder / "none").error().message, HasSubstr("none: no such file"));
    EXPECT_THAT(readFile(folder).error().message, HasSubstr("is a directory"));
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(readFile(folder / "pipe").error().message, HasSubstr("not a regular file"));
    fs::create_symlink("/dev/zero", folder / "endless");
    EXPECT_THAT(readFile(folder / "endless").error().message, HasSubstr("not a regular file"));
    std::ofstream(folder / "big") << std::string(100, 'x');
    EXPECT_THAT(readFile(folder / "big", 99).error().message, HasSubstr("at most 99 B"));
    EXPECT_THAT(writeFileAtomically(folder / "no" / "x", "").error().message, HasSubstr("cannot be written"));
}

TEST_F(FileTest, OnlyAFileItselfIsOpenedForWriting) {
    std::ofstream(folder / "real") << "kept";
    fs::create_symlink("real", folder / "link");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_TRUE(openRegular(folder / "link"));
    for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_CREAT | O_APPEND, O_RDWR | O_TRUNC}) {
        EXPECT_THAT(openRegular(folder / "link", flags).error().message, HasSubstr("link: is a link"));
        EXPECT_THAT(openRegular(folder / "pipe", flags).error().message,
                    HasSubstr("pipe: is not a regular file"));
        EXPECT_THAT(openRegular(folder, flags).error().message, HasSubstr("is a directory"));
    }
    EXPECT_EQ(*readFile(folder / "real"), "kept");
    EXPECT_TRUE(openRegular(folder / "new", O_WRONLY | O_CREAT));
}

}  // namespace
}  // namespace highwater::base
