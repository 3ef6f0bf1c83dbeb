#include <gmock/gmock.h>
#include <unistd.h>

#include "core/hosts/digest.h"
#include "core/hosts/frames.h"
#include "core/hosts/ssh.h"
#include "core/volume/write_volume.h"

namespace highwater::hosts {
namespace {

using ::testing::HasSubstr;

const std::string kHello = "{\"highwater_host\":1}\n";

std::vector<Frame> allOf(Frames& frames) {
    std::vector<Frame> all;
    for (;;) {
        auto frame = frames.take();
        EXPECT_TRUE(frame) << frame.error().message;
        if (!frame || !*frame) {
            return all;
        }
        all.push_back(std::move(**frame));
    }
}

TEST(Frames, ArriveInPieces) {
    const std::string bytes("a\nb\0{", 5);
    const std::string text = "Welcome!\n\n" + kHello + toText({{"file", "events.jsonl"}, {"at", 7}}, bytes) +
                             toText({{"beat", true}}) + toText({{"ended", true}});
    for (std::size_t piece = 1; piece < text.size(); ++piece) {
        Frames frames;
        std::vector<Frame> all;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            frames.add(std::string_view(text).substr(at, piece));
            for (Frame& frame : allOf(frames)) {
                all.push_back(std::move(frame));
            }
        }
        ASSERT_EQ(all.size(), 3U) << piece;  // the greeting is not a frame and is skipped
    }
}

TEST(Frames, KeepTheirBytes) {
    Frames frames;
    const std::string bytes("\0\n{}\xff", 5);
    frames.add(kHello + toText({{"file", "x"}}, bytes));
    EXPECT_FALSE(frames.greeted());
    const auto all = allOf(frames);
    EXPECT_TRUE(frames.greeted());
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].bytes, bytes);
}

TEST(Frames, RefuseWhatIsNone) {
    for (const std::string& bad :
         {std::string("hello\n"), std::string("[1]\n"), std::string("{\"bytes\":-1}\n"),
          std::string("{\"bytes\":1e9}\n"), std::string("{\"bytes\":99999999999}\n"),
          std::string("{\"bytes\":\"3\"}\n"), std::string(70'000, 'x'), std::string("{\"a\":1,\"a\":2}\n")}) {
        Frames frames;
        frames.add(kHello + bad);
        EXPECT_FALSE(frames.take()) << bad.substr(0, 40);
    }
}

TEST(Frames, ALoginShellThatTalksWithoutEndIsGivenUp) {
    Frames frames;
    for (int i = 0; i < 200; ++i) {
        frames.add(std::string(10'000, 'x') + "\n");
        if (!frames.greet()) {
            return;
        }
    }
    FAIL() << "took two million bytes";
}

TEST(Frames, AHostThatIsNotPreparedSaysSo) {
    Frames frames;
    frames.add("motd\n" + std::string(kNotPrepared) + "\n");
    EXPECT_EQ(frames.take().error().message, kNotPrepared);
}

TEST(Digest, IsThatOfTheWholeFileWhereverItIsRead) {
    const auto file = volume::temporaryFile();
    ASSERT_TRUE(file);
    ASSERT_EQ(::write(*file, "abc", 3), 3);
    const auto digest = sha256Of(*file);
    ASSERT_TRUE(digest) << digest.error().message;
    EXPECT_EQ(*digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ::close(*file);
    EXPECT_FALSE(isSha256("../../etc/passwd"));
    EXPECT_FALSE(isSha256(digest->substr(1) + "/"));
}

TEST(Ssh, SeparatesTheDestinationAndAcceptsNoKey) {
    const auto launch = shellLaunch({"lab", "anna@lab", ""}, "true");
    ASSERT_TRUE(launch) << launch.error().message;
    const auto& words = launch->arguments;
    ASSERT_GE(words.size(), 3U);
    EXPECT_EQ(std::vector<std::string>(words.end() - 3, words.end()),
              (std::vector<std::string>{"--", "anna@lab", "true"}));
    for (const char* option : {"BatchMode=yes", "StrictHostKeyChecking=yes"}) {
        EXPECT_THAT(words, ::testing::Contains(option));
    }
    EXPECT_FALSE(shellLaunch({"lab", "-oProxyCommand=true", ""}, "true"));
}

TEST(Ssh, ThisMachineNeedsNone) {
    const auto launch = shellLaunch({"mine", std::string(kHere), ""}, "true");
    ASSERT_TRUE(launch) << launch.error().message;
    EXPECT_EQ(launch->program, "/bin/sh");
    EXPECT_EQ(launch->arguments, (std::vector<std::string>{"-c", "true"}));
}

TEST(Ssh, SaysWhatToDo) {
    const Host host{"lab", "anna@lab", ""};
    EXPECT_EQ(describeFailure(host, "ssh: Could not resolve hostname lab: Name or service not known\r\n"),
              "host lab: Could not resolve hostname lab: Name or service not known");
    EXPECT_EQ(describeFailure(host, ""), "host lab: the connection was closed");
    EXPECT_THAT(
        describeFailure(
            host, "@@@\nWARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed."),
        HasSubstr("not the known one"));
    EXPECT_THAT(describeFailure(host, "anna@lab: Permission denied (publickey)."), HasSubstr("ssh-copy-id"));
}

}  // namespace
}  // namespace highwater::hosts
