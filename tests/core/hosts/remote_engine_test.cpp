#include "core/hosts/remote_engine.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "core/hosts/prepare.h"
#include "core/stack/json/json.h"
#include "tests/core/temporary_folder.h"

namespace highwater::hosts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A host on this machine, without ssh, with a script in place of highwater-host.
class HostileHost : public ::testing::Test {
protected:
    void SetUp() override {
        source_ = engineSource();
        if (!source_) {
            GTEST_SKIP() << source_.error().message;
        }
        setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
        const fs::path engine = folder_.path() / "cache" / "highwater" / "engine" / source_->id;
        program_ = engine / "build" / "bin" / "highwater-host";
        fs::create_directories(program_.parent_path());
        fs::create_directories(run());
        std::ofstream(engine / "ready") << "\n";
    }
    void TearDown() override { unsetenv("XDG_CACHE_HOME"); }
    fs::path run() const { return folder_.path() / "20260101-000000-abcdef"; }

    /// Starts a run of one step there; `script` is what the host executes after the request.
    std::unique_ptr<RemoteEngine> start(const std::string& script) {
        std::ofstream(program_) << "#!/bin/sh\nprintf '{\"highwater_host\":1}\\n'\nread request\n"
                                   "printf '{\"begun\":true}\\n'\n"
                                << script;
        fs::permissions(program_, fs::perms::owner_all);
        Start start;
        start.experiment = base::Json::parse(
            R"({"schema": "highwater.experiment/1", "input": {"synthetic": [1, 8, 8, 8]}, "stack": [{"type": "relu"}], "loss": "mean"})");
        start.steps = 1;
        std::ofstream(run() / "experiment.json") << start.experiment.dump();
        const Host host{"box", ".", ""};
        auto connection = Connection::openAndWait(host);
        EXPECT_TRUE(connection) << connection.error().message;
        auto engine = connection ? RemoteEngine::start(host, std::move(*connection), run(), start, {})
                                 : base::Result<std::unique_ptr<RemoteEngine>>(connection.error());
        EXPECT_TRUE(engine) << engine.error().message;
        return engine ? std::move(*engine) : nullptr;
    }
    /// Sends as much of this file as is accepted.
    static std::string endless(const std::string& file) {
        return "at=0\nwhile printf '{\"file\":\"" + file +
               "\",\"at\":%d,\"bytes\":1048576}\\n' $at; do\n"
               "head -c 1048576 /dev/zero | tr '\\0' '\\n'\nat=$((at + 1048576))\ndone 2>/dev/null\n";
    }
    base::Bytes bytesHere() const {
        base::Bytes bytes = 0;
        for (const auto& each : fs::recursive_directory_iterator(run())) {
            bytes += each.is_regular_file() ? static_cast<base::Bytes>(each.file_size()) : 0;
        }
        return bytes;
    }

    highwater::test::TemporaryFolder folder_;
    base::Result<EngineSource> source_{base::Error{}};
    fs::path program_;
};

TEST_F(HostileHost, AFileWithoutEndEndsTheRun) {
    for (const auto& [file, most] :
         {std::pair("events.jsonl", 72), {"stderr.txt", 1}, {"previews/patch.hwvol", 1}}) {
        SCOPED_TRACE(file);
        fs::remove_all(run());
        fs::create_directories(run());
        const auto engine = start(endless(file));
        ASSERT_TRUE(engine);
        while (!engine->finished()) {
            engine->wait(100);
            (void)engine->read();
        }
        EXPECT_EQ(engine->exitCode(), -1);
        EXPECT_THAT(engine->errorText(),
                    HasSubstr(std::string(" of ") + file + ", which no such run writes; the run was ended"));
        EXPECT_LE(bytesHere(), most * base::kMiB);
        EXPECT_FALSE(engine->takeConnection());
    }
}

/// Output other than its answers is kept in memory, but only a limited amount.
TEST_F(HostileHost, ErrorsWithoutEndAreLetGo) {
    const fs::path held = folder_.path() / "held";
    std::ofstream(held) << "";
    const auto engine = start("head -c 100000000 /dev/zero >&2\necho '{\"event\":\"said\"}' >'" +
                              (folder_.path() / "said").string() + "'\nwhile [ -e '" + held.string() +
                              "' ]; do sleep 0.02; done\nprintf '{\"problem\":\"enough\"}\\n'\nread gone\n");
    ASSERT_TRUE(engine);
    const auto inMemory = [&] {
        std::int64_t bytes = 0;
        for (const auto& fd : fs::directory_iterator("/proc/self/fd")) {
            std::error_code ignored;
            struct stat facts{};
            if (fs::read_symlink(fd.path(), ignored).string().starts_with("/memfd:highwater-ssh") &&
                ::stat(fd.path().c_str(), &facts) == 0) {
                bytes += facts.st_blocks * 512;
            }
        }
        return bytes;
    };
    while (!engine->finished()) {
        engine->wait(100);
        const bool said = fs::exists(folder_.path() / "said");
        (void)engine->read();
        if (said && fs::exists(held)) {
            EXPECT_LE(inMemory(), 4 * base::kMiB);
            fs::remove(held);
        }
    }
    EXPECT_EQ(engine->errorText(), "host box: enough");
}

}  // namespace
}  // namespace highwater::hosts
