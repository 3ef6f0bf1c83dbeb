#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {

/// Programs with a folder in which writes fail as on a full disk, or block as with an unresponsive file
/// server (full_disk.cpp).
class DiskTest : public EngineCliTest {
protected:
    struct Trial {
        Finished finished;
        std::string failed;  ///< the path of the write that failed; empty if there were fewer writes
    };

    std::filesystem::path disk() const { return folder_.path() / "disk"; }
    std::filesystem::path counter() const { return folder_.path() / "count"; }

    /// Which write below disk() fails, counted from 1; 0: none.
    struct Full {
        int at = 0;
        int stallMs = 0;    ///< if not 0, nothing fails, but that write or read takes this long
        bool from = false;  ///< all later ones fail too
        const char *except = nullptr, *only = nullptr;
        const char* program = "highwater-cli";
    };

    std::unique_ptr<Program> start(const std::vector<std::string>& command, const Full& full) const {
        write("count", std::string(8192, '\0'));
        const std::map<const char*, std::string> variables = {
            {"LD_PRELOAD", FULL_DISK_LIBRARY},
            {"HIGHWATER_FULL_DISK", disk()},
            {"HIGHWATER_FULL_DISK_COUNT", counter()},
            {"HIGHWATER_FULL_DISK_AT", std::to_string(full.at)},
            {"HIGHWATER_FULL_DISK_FROM", full.from ? "1" : ""},
            {"HIGHWATER_FULL_DISK_EXCEPT", full.except ? full.except : ""},
            {"HIGHWATER_FULL_DISK_ONLY", full.only ? full.only : ""},
            {"HIGHWATER_STALL_MS", full.stallMs > 0 ? std::to_string(full.stallMs) : ""}};
        for (const auto& [name, value] : variables) {
            if (!value.empty()) {
                setenv(name, value.c_str(), 1);
            }
        }
        auto program = std::make_unique<Program>(full.program, command, folder_.path());
        for (const auto& [name, value] : variables) {
            unsetenv(name);
        }
        return program;
    }
    Trial trial(const std::vector<std::string>& command, const Full& full) const {
        Trial done;
        done.finished = start(command, full)->wait();
        done.failed = failed();
        return done;
    }
    /// The path of the write that failed, or is blocked; empty if there was none yet.
    std::string failed() const {
        const std::string counted = textOf(counter());
        return counted.c_str() + std::min(counted.size(), sizeof(std::uint64_t));
    }
    Json runsThere() {
        return parse(Program("highwater-cli", {"runs", "list", "--json", "--store", disk().string()},
                             folder_.path())
                         .wait()
                         .out)
            .at("runs");
    }
    std::set<std::string> names() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(disk())) {
            names.insert(entry.path().lexically_relative(disk()).string());
        }
        return names;
    }
    static void expectOneLine(const Trial& done) {
        EXPECT_LT(done.finished.exit, 128) << done.finished.err;
        EXPECT_EQ(std::count(done.finished.err.begin(), done.finished.err.end(), '\n'), 1)
            << done.finished.err;
        EXPECT_THAT(done.finished.err, ::testing::HasSubstr("No space left on device"));
    }
};

}  // namespace highwater::e2e
