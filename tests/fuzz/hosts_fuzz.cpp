#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "core/hosts/frames.h"
#include "core/hosts/hosts.h"
#include "core/hosts/request.h"
#include "tests/core/temporary_folder.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::hosts {
namespace {

void expectOneLine(const std::string& message) {
    EXPECT_FALSE(message.empty());
    EXPECT_LT(message.size(), 1500U);
    EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
}

/// Damaged like files, or, every other round, with one character replaced by one that is special to a shell,
/// to ssh or in a path.
std::string damage(const std::string& text, std::uint64_t round) {
    if (round % 2 == 0) {
        return fuzz::mutate(text, round);
    }
    constexpr std::string_view kOthers = "-/.:@ '$;`!\\0a_";
    std::mt19937_64 random(round);
    std::string other = text;
    other[random() % other.size()] = kOthers[random() % kOthers.size()];
    return other;
}

/// Hosts that can be passed to ssh, or one line.
TEST(HostsFuzz, DamagedListsGiveHostsThatFitOrOneLine) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "hosts.json";
    ASSERT_TRUE(addHost(file, {"lab", "anna@lab.example.org", "/home/anna/venv/bin/python"}));
    ASSERT_TRUE(addHost(file, {"six", "fe80::1", ""}));
    std::string seed((std::ostringstream() << std::ifstream(file).rdbuf()).str());
    std::uint64_t read = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(2000); ++round) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << damage(seed, round);
        const auto hosts = readHosts(file);
        if (!hosts) {
            expectOneLine(hosts.error().message);
            continue;
        }
        ++read;
        for (const Host& host : *hosts) {
            EXPECT_TRUE(checkHost(host));
            EXPECT_NE(host.destination.front(), '-');
            EXPECT_EQ((host.name + host.destination + host.python).find_first_of(" '\"$`;&|<>\\\n"),
                      std::string::npos);
        }
    }
    EXPECT_GT(read, fuzz::rounds(2000) / 20);
    EXPECT_LT(read, fuzz::rounds(2000));
}

/// highwater-host's first line: a request whose run is the name of a folder, or one line.
TEST(HostsFuzz, DamagedRequestsAreRequestsOrOneLine) {
    Start start;
    start.experiment = {{"name", "net"}, {"stack", base::Json::array({{{"type", "relu"}}})}};
    start.budget = 5;
    start.volumes = {{std::string(64, 'a'), 3}, {std::string(64, '0'), 4}};
    const std::string seeds[] = {toLine({"20261121-070512-3f9a2c", start, 12, 3}),
                                 toLine({"20261121-070512-3f9a2c", {}, 0, -1})};
    std::uint64_t read = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(4000); ++round) {
        const auto request = parseRequest(damage(seeds[round / 2 % 2], round));
        if (!request) {
            expectOneLine(request.error().message);
            continue;
        }
        ++read;
        EXPECT_EQ(request->run.find_first_of("/.\n "), std::string::npos);
        EXPECT_FALSE(request->run.empty());
        EXPECT_GE(request->have, 0);
    }
    EXPECT_GT(read, fuzz::rounds(4000) / 40);
    EXPECT_LT(read, fuzz::rounds(4000));
}

/// Data from a host, in pieces: frames of a bounded size, or one line.
TEST(HostsFuzz, DamagedFramesAreFramesOrOneLine) {
    std::string seed = "Welcome to box!\n" + toText({{std::string(kGreeting), kProtocol}});
    seed += toText({{"begun", true}}) + toText({{"file", kEvents}, {"at", 0}}, "{\"event\":\"step\"}\n");
    seed += toText({{"file", kResult}, {"at", 0}, {"last", true}}, std::string(300, '{'));
    seed += toText({{"ended", true}, {"exit_code", 0}});
    std::uint64_t frames = 0;
    for (std::uint64_t round = 0; round < fuzz::rounds(4000); ++round) {
        const std::string text = fuzz::mutate(seed, round);
        Frames reader;
        bool good = true;
        for (std::size_t at = 0; at < text.size() && good; at += 1 + round % 100) {
            reader.add(std::string_view(text).substr(at, 1 + round % 100));
            for (;;) {
                const auto frame = reader.take();
                if (!frame) {
                    expectOneLine(frame.error().message);
                    good = false;
                    break;
                }
                if (!*frame) {
                    break;
                }
                EXPECT_TRUE((*frame)->line.is_object());
                EXPECT_LE((*frame)->bytes.size(), kMostFrameBytes);
                ++frames;
            }
        }
    }
    EXPECT_GT(frames, fuzz::rounds(4000));
}

}  // namespace
}  // namespace highwater::hosts
