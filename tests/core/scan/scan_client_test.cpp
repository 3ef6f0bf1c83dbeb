#include "core/scan/scan_client.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>

#include <cmath>
#include <cstring>

#include "core/scan/phantom_client.h"
#include "core/scan/process.h"
#include "core/volume/phantom.h"
#include "core/volume/volume_header.h"
#include "tests/core/scan/reader/in_process.h"
#include "tests/core/scan/reader/nifti/builder.h"
#include "tests/core/temporary_folder.h"

namespace highwater::scan {
namespace {

using test::counting;
using test::niftiFile;
using test::TemporaryFolder;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ScanClient, ReadsThroughTheProcess) {
    const TemporaryFolder folder;
    std::vector<Progress> seen;
    ReadOptions options;
    options.progress = [&](const Progress& progress) { seen.push_back(progress); };
    const auto volume = readScan(folder.write("a.nii.gz", test::gzip(niftiFile({}, counting()))), options);
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->at(3, 2, 1), 123);
    EXPECT_EQ(volume->header().mean, 111.5);
    EXPECT_GE(volume->fd(), 0);
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back().stage, "reading");
    EXPECT_EQ(seen.back().fraction, 1);
}

TEST(ScanClient, AHeaderWithoutVoxels) {
    const TemporaryFolder folder;
    const auto header = readScanHeader(folder.write("a.nii", niftiFile({}, counting())));
    ASSERT_TRUE(header.ok()) << header.error().message;
    EXPECT_EQ(header->geometry.size, (std::array<std::int64_t, 3>{4, 3, 2}));
    EXPECT_TRUE(std::isnan(header->min));
}

TEST(ScanClient, NamesThatAShellWouldTakeApart) {
    const TemporaryFolder folder;
    for (const char* name :
         {"with space.nii", "Schädel 頭.nii", "quo'te\"$(reboot).nii", "-rf.nii", "new\nline.nii"}) {
        const auto volume = readScan(folder.write(name, niftiFile({}, counting())));
        EXPECT_TRUE(volume.ok()) << name;
    }
}

TEST(ScanClient, PlainMessages) {
    const TemporaryFolder folder;
    const std::string missing = (folder.path() / "none.nii").string();
    EXPECT_EQ(readScan(missing).error().message, missing + ": there is no such file");
    EXPECT_THAT(readScan(folder.path().string()).error().message, HasSubstr("DICOM"));
    EXPECT_THAT(readScan(folder.write("empty.nii", "")).error().message, HasSubstr("is empty"));
    EXPECT_THAT(readScan("").error().message, HasSubstr("the scan's path is empty"));
    EXPECT_THAT(readScan(folder.write("cut.nii", niftiFile({}, counting()).substr(0, 390))).error().message,
                StartsWith("cut.nii: truncated: the header promises 48 bytes of voxels, the file has 38"));
    ReadOptions second;
    second.volume = 1;
    EXPECT_THAT(readScan(folder.write("a.nii", niftiFile({}, counting())), second).error().message,
                HasSubstr("there is no volume 1"));
}

TEST(ScanClient, NoPermission) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "root may read everything";
    }
    const TemporaryFolder folder;
    const auto path = folder.write("a.nii", niftiFile({}, counting()));
    chmod(path.c_str(), 0);
    EXPECT_THAT(readScan(path).error().message, HasSubstr("you may not read it"));
}

TEST(ScanClient, CancelledBeforeAndDuring) {
    const TemporaryFolder folder;
    std::atomic<bool> cancel{true};
    ReadOptions options;
    options.cancel = &cancel;
    EXPECT_EQ(readScan(folder.write("a.nii", niftiFile({}, counting())), options).error().message,
              "cancelled");

    cancel = false;
    const auto path = (folder.path() / "phantom.nii.gz").string();
    const auto status = writePhantom(path, 1, [&](const Progress&) { cancel = true; }, &cancel);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "cancelled");
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ScanClient, AReaderThatHangsIsEnded) {
    // The reader cannot answer within a zero timeout: it is killed and reaped.
    const TemporaryFolder folder;
    ReadOptions options;
    options.limits.timeout = std::chrono::seconds(0);
    const auto volume = readScan(folder.write("a.nii", niftiFile({}, counting())), options);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("the reader made no progress for 0 s"));
}

TEST(ScanClient, AReaderThatDiesIsOneLine) {
    const TemporaryFolder folder;
    const auto status = writePhantom((folder.path() / "head.nii.gz").string(), 1, [](const Progress&) {
        std::ifstream children("/proc/thread-self/children");
        for (pid_t pid = 0; children >> pid;) {
            kill(pid, SIGABRT);
        }
    });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(
        status.error().message,
        "head.nii.gz: the phantom was not made: the reader stopped while making the phantom (signal 6)");
}

/// Otherwise the reader would start without it, and fail for a misleading reason.
TEST(ScanClient, AnOutputFileThatCannotBeHandedOverIsOneLine) {
    ProcessRequest request;
    request.name = "a.nii";
    request.program = "/bin/true";
    request.out = 1 << 20;
    const auto answer = runScanProcess(request);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().message,
              "a.nii: the scan reader cannot be given its output file: Bad file descriptor");
}

TEST(ScanClient, AReaderWithoutMemoryIsOneLine) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitized reader has no address-space limit";
#endif
    const TemporaryFolder folder;
    ReadOptions options;
    options.limits.addressSpace = 4096;
    const auto volume = readScan(folder.write("a.nii", niftiFile({}, counting())), options);
    ASSERT_FALSE(volume.ok());
    EXPECT_THAT(volume.error().message, HasSubstr("a.nii: "));
}

TEST(ScanClient, LeavesNoFileBehind) {
    const TemporaryFolder folder;
    const TemporaryFolder temporary;
    const auto path = folder.write("a.nii.gz", test::gzip(niftiFile({}, counting())));
    const char* old = std::getenv("TMPDIR");
    const std::string before = old ? old : "";
    setenv("TMPDIR", temporary.path().c_str(), 1);
    const auto volume = readScan(path);
    old ? setenv("TMPDIR", before.c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_TRUE(volume.ok());
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST(ScanClient, ThePhantomIsAHeadOnTheRightSide) {
    const auto volume = readScan("phantom:head");  // there is no such file
    ASSERT_TRUE(volume.ok()) << volume.error().message;
    EXPECT_EQ(volume->header().format, "phantom");
    EXPECT_EQ(volume->header().pixelType, "int16");
    EXPECT_EQ(volume->geometry().size, (std::array<std::int64_t, 3>{192, 192, 160}));
    EXPECT_EQ(volume->geometry().orientation(), "RAS");
    EXPECT_TRUE(volume->header().warnings.empty());
    auto at = [&](std::array<double, 3> mm) {
        const auto ijk = volume->geometry().toIndex(mm);
        return volume->at(std::lround(ijk[0]), std::lround(ijk[1]), std::lround(ijk[2]));
    };
    auto lesion = volume::kPhantomLesion;
    EXPECT_GT(at(lesion), 120);  // the patient's left
    lesion[0] = -lesion[0];
    EXPECT_LT(at(lesion), 80);  // nothing on the right
    EXPECT_LT(at({100, 100, 100}), -900);
    EXPECT_NEAR(volume->header().min, -1024, 60);
    EXPECT_GT(volume->header().max, 1400);

    const TemporaryFolder folder;
    const std::string path = (folder.path() / "head.nii.gz").string();
    ASSERT_TRUE(writePhantom(path).ok());
    const auto file = readScan(path);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->header().mean, volume->header().mean);
    EXPECT_EQ(file->geometry().orientation(), "RAS");
    ASSERT_EQ(file->geometry().size, volume->geometry().size);
    const auto bytes = static_cast<std::size_t>(*volume::volumeBytes(file->header()));
    EXPECT_EQ(std::memcmp(file->data(), volume->data(), bytes), 0);
}

TEST(ScanClient, ThePhantomIsOneVolume) {
    ReadOptions second;
    second.volume = 1;
    EXPECT_EQ(readScan("phantom:head", second).error().message,
              "phantom:head: there is no volume 1: the file has one, number 0");
}

TEST(ScanClient, ThePhantomNeedsAGoodName) {
    EXPECT_THAT(writePhantom(test::nowhere() + "/head.png").error().message,
                HasSubstr("is written as .nii.gz"));
    int progress = 0;  // no progress: it is refused before anything is computed
    const auto status =
        writePhantom(test::nowhere() + "/head.nii.gz", 1, [&](const Progress&) { ++progress; });
    EXPECT_EQ(status.error().message,
              test::nowhere() + "/head.nii.gz: cannot be written: No such file or directory");
    EXPECT_EQ(progress, 0);
}

}  // namespace
}  // namespace highwater::scan
