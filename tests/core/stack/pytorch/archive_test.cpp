#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/stack/pytorch/pytorch.h"
#include "tests/core/stack/pytorch/program_archive.h"
#include "tests/core/temporary_folder.h"

namespace highwater::stack {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kProgram = smallProgram().text();

std::string errorOf(const std::string& bytes) {
    const auto made = importPytorch(bytes, "net.pt2", {});
    return made ? "" : made.error().message;
}

TEST(PytorchArchive, BothLayoutsAreReadStoredOrPacked) {
    for (const std::string& bytes :
         {olderArchive(kProgram), newerArchive(kProgram), newerArchive(kProgram, "{}", ZIP_CM_DEFLATE),
          zipped({{"folder/serialized_exported_program.json", kProgram}}),
          zipped({{"models/model.json", kProgram}}, ZIP_CM_DEFLATE)}) {
        EXPECT_EQ(errorOf(bytes), "");
    }
}

TEST(PytorchArchive, AFileIsReadAsItsBytes) {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "net.pt2";
    std::ofstream(path, std::ios::binary) << newerArchive(kProgram);
    const auto made = importPytorchFile(path, {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->text, importPytorch(newerArchive(kProgram), "", {})->text);
    EXPECT_THAT(importPytorchFile(folder.path() / "none.pt2", {}).error().message, HasSubstr("no such file"));
    EXPECT_THAT(importPytorchFile(folder.path(), {}).error().message, HasSubstr("is a directory"));
}

TEST(PytorchArchive, AnotherKindOfFileIsNamed) {
    EXPECT_THAT(errorOf(""),
                StartsWith("net.pt2: is not a zip archive; a program is written by torch.export.save("));
    EXPECT_THAT(errorOf("\x80\x02}q"), HasSubstr("is a pickle, as an old torch.save writes it"));
    EXPECT_THAT(errorOf(zipped({{"net/data.pkl", "x"}, {"net/constants.pkl", "x"}, {"net/code/a.py", "x"}})),
                HasSubstr("is a TorchScript archive of torch.jit.save; a program is written by"));
    EXPECT_THAT(errorOf(zipped({{"net/data.pkl", "x"}, {"net/data/0", "x"}})),
                HasSubstr("is a checkpoint of torch.save, which has no graph"));
    EXPECT_THAT(errorOf(zipped({{"net/data/aotinductor/model/a.so", "x"}})), HasSubstr("compiled code"));
    EXPECT_THAT(errorOf(zipped({{"a.txt", "x"}})), HasSubstr("has no program in it"));
}

TEST(PytorchArchive, SeveralProgramsOrOddFoldersAreRefused) {
    EXPECT_THAT(errorOf(zipped({{"a/models/model.json", kProgram}, {"a/models/other.json", kProgram}})),
                HasSubstr("has 2 programs; save one by itself"));
    for (const char* folder : {"../", "/", "a/b/", "a\\b/", "./", "c:/"}) {
        EXPECT_THAT(errorOf(zipped({{folder + std::string("models/model.json"), kProgram}})),
                    HasSubstr("has its program in an odd folder"))
            << folder;
    }
}

TEST(PytorchArchive, DamageIsOneLine) {
    const std::string whole = newerArchive(kProgram);
    EXPECT_THAT(errorOf(whole.substr(0, whole.size() / 2)), HasSubstr("is not a whole zip archive"));
    std::string changed = whole;
    changed[changed.find("my_module")] = 'M';
    EXPECT_THAT(errorOf(changed), HasSubstr("is damaged: CRC error"));
    EXPECT_THAT(errorOf(newerArchive("{")), StartsWith("net.pt2: not valid JSON"));
    EXPECT_THAT(errorOf(newerArchive(kProgram, "{")), StartsWith("net.pt2: not valid JSON"));
}

/// The sizes of an entry, in its own header and in the directory.
std::string withSize(std::string bytes, const std::string& name, std::uint32_t packed, std::uint32_t whole) {
    const auto put = [&bytes](std::size_t at, std::uint32_t value) {
        for (int i = 0; i < 4; ++i) {
            bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
        }
    };
    const std::size_t local = bytes.find(name) - 30, central = bytes.rfind(name) - 46;
    put(local + 18, packed), put(local + 22, whole), put(central + 20, packed), put(central + 24, whole);
    return bytes;
}

TEST(PytorchArchive, ASizeInAHeaderTakesNoMemory) {
    const std::string bytes = olderArchive(kProgram), name = "serialized_exported_program.json";
    EXPECT_THAT(errorOf(withSize(bytes, name, 0xfffffff0U, 0xfffffff0U)),
                HasSubstr("has a graph of 4.00 GiB; at most 64.0 MiB"));
    EXPECT_NE(errorOf(withSize(bytes, name, 60U << 20, 60U << 20)), "");
    const std::string packed = zipped({{name, kProgram}}, ZIP_CM_DEFLATE);
    const auto size = static_cast<std::uint32_t>(kProgram.size());
    EXPECT_NE(errorOf(withSize(packed, name, 400, 60U << 20)), "");
    EXPECT_NE(errorOf(withSize(packed, name, 400, size - 1)), "");
}

/// 30 kB that would expand to gigabytes.
TEST(PytorchArchive, AProgramThatUnfoldsToMuchMoreThanItsFileIsRefused) {
    std::string lists;
    for (int i = 0; i < 5'000'000; ++i) {
        lists += "[],";
    }
    const std::string bytes = newerArchive("{\"graph_module\": [" + lists + "0]}", "{}", ZIP_CM_DEFLATE);
    EXPECT_LT(bytes.size(), 100'000U);
    EXPECT_THAT(errorOf(bytes), HasSubstr("net.pt2: would take more than 256 MiB of memory"));
}

TEST(PytorchArchive, AnEncryptedProgramIsRefused) {
    std::string bytes = olderArchive(kProgram);
    const std::string name = "serialized_exported_program.json";
    bytes[bytes.find(name) - 30 + 6] |= 1;
    bytes[bytes.rfind(name) - 46 + 8] |= 1;
    EXPECT_THAT(errorOf(bytes), HasSubstr("is encrypted; save the program without a password"));
}

}  // namespace
}  // namespace highwater::stack
