#include <sys/stat.h>

#include "tests/e2e/cli_fixture.h"
#include "tests/e2e/ssh_server.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// A host on this machine, without ssh, where a script stands for highwater-host.
class HostileHost : public EngineCliTest {
protected:
    void SetUp() override {
        EngineCliTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
        setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
        prepareIn(folder_.path() / "cache");
        ASSERT_EQ(Program("highwater-cli", {"hosts", "add", "box", "."}, folder_.path()).wait().exit, 0);
    }
    void TearDown() override { unsetenv("XDG_CACHE_HOME"); }
    /// What it does once it has been asked for the run.
    void hostDoes(const std::string& script) const {
        const auto program = engineIn(folder_.path() / "cache") / "build" / "bin" / "highwater-host";
        std::filesystem::remove(program);
        std::ofstream(program) << "#!/bin/sh\nprintf '{\"highwater_host\":1}\\n'\nread request\n"
                                  "printf '{\"begun\":true}\\n'\n"
                               << script;
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    /// Sends as much of this file as is taken.
    static std::string endless(const std::string& file) {
        return "at=0\nwhile printf '{\"file\":\"" + file +
               "\",\"at\":%d,\"bytes\":1048576}\\n' $at; do\n"
               "head -c 1048576 /dev/zero | tr '\\0' '\\n'\nat=$((at + 1048576))\ndone 2>/dev/null\n";
    }
    std::uintmax_t bytesOfStore() const {
        std::uintmax_t bytes = 0;
        for (const auto& each : std::filesystem::recursive_directory_iterator(store())) {
            bytes += each.is_regular_file() ? each.file_size() : 0;
        }
        return bytes;
    }
};

TEST_F(HostileHost, AFileWithoutEndEndsTheRun) {
    const std::string small = experiment();
    int runsBefore = 0;
    for (const auto& [file, limit] :
         {std::pair("events.jsonl", 80U), {"result.json", 1U}, {"stderr.txt", 1U}}) {
        SCOPED_TRACE(file);
        hostDoes(endless(file));
        const Finished done = cli({"run", small, "--host", "box", "--steps", "1"});
        EXPECT_EQ(done.exit, 4) << done.err;
        const std::string why = std::string(" of ") + file + ", which no such run writes; the run was ended";
        EXPECT_THAT(done.err, HasSubstr(why));
        const Json row = runs().back();
        EXPECT_EQ(row["status"], "failed");
        EXPECT_THAT(row["message"], HasSubstr(why));
        EXPECT_LT(bytesOfStore(), limit << 20U);
        std::filesystem::remove_all(store() / "runs" / row["id"].get<std::string>());
        // The rest of the store is as it was.
        EXPECT_EQ(cli({"run", small, "--steps", "1"}).exit, 0);
        EXPECT_EQ(runs().size(), static_cast<std::size_t>(++runsBefore));
    }
}

/// What it writes beside its answers is kept in memory, and let go of before it is much.
TEST_F(HostileHost, ErrorsWithoutEndAreLetGo) {
    const auto held = folder_.path() / "held";
    std::ofstream(held) << "";
    hostDoes("head -c 100000000 /dev/zero >&2\necho said >" + (folder_.path() / "said").string() +
             "\nwhile [ -e " + held.string() +
             " ]; do sleep 0.02; done\nprintf '{\"problem\":\"enough\"}\\n'\nread gone\n");
    Program run("highwater-cli", withStore({"run", experiment(), "--host", "box", "--steps", "1"}),
                folder_.path());
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_.path() / "said"); }));
    const auto bytes = [&] {
        std::int64_t sum = 0;
        for (const auto& fd :
             std::filesystem::directory_iterator("/proc/" + std::to_string(run.pid()) + "/fd")) {
            std::error_code ignored;
            struct stat facts{};
            if (std::filesystem::read_symlink(fd.path(), ignored).string().starts_with("/memfd:") &&
                ::stat(fd.path().c_str(), &facts) == 0) {
                sum += facts.st_blocks * 512;
            }
        }
        return sum;
    };
    EXPECT_TRUE(eventually([&] { return bytes() <= 8 << 20; })) << bytes();
    std::filesystem::remove(held);
    const Finished done = run.wait();
    EXPECT_EQ(done.exit, 4) << done.err;
    EXPECT_THAT(done.err, HasSubstr("host box: enough"));
}

}  // namespace
}  // namespace highwater::e2e
