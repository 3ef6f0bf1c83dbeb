#include "core/base/process_identity.h"

#include <gmock/gmock.h>
#include <poll.h>

#include "core/base/json_file.h"
#include "tests/core/waiting_process.h"

namespace highwater::base {
namespace {

using highwater::test::WaitingProcess;
using ::testing::EndsWith;

TEST(ProcessIdentity, NamesThisProcess) {
    const ProcessIdentity self = thisProcess();
    EXPECT_EQ(self.pid, ::getpid());
    EXPECT_GT(self.start, 0);
    EXPECT_FALSE(self.boot.empty());
    EXPECT_EQ(self, identityOf(::getpid()));
    EXPECT_EQ(lifeOf(self), Life::Alive);
}

TEST(ProcessIdentity, IsTheSameInJson) {
    const ProcessIdentity identity{12, 345, "a boot", "a host"};
    Json json = JsonOut::written(identity);
    const auto read = fromJson<ProcessIdentity>(json);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, identity);
    json["pid"] = -12;
    EXPECT_FALSE(fromJson<ProcessIdentity>(json));
}

TEST(ProcessIdentity, OneThatHasEndedIsGoneReapedOrNot) {
    WaitingProcess process;
    const ProcessIdentity identity = process.identity();
    EXPECT_EQ(lifeOf(identity), Life::Alive);
    ::kill(process.pid(), SIGKILL);
    siginfo_t facts{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process.pid()), &facts, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(lifeOf(identity), Life::Gone);
    process.end();
    EXPECT_EQ(lifeOf(identity), Life::Gone);
    EXPECT_EQ(identityOf(identity.pid).start, 0);
}

TEST(ProcessIdentity, ANumberAloneIsNoIdentity) {
    const WaitingProcess process;
    ProcessIdentity other = process.identity();
    other.boot = "another boot";
    EXPECT_EQ(lifeOf(other), Life::Gone);
    EXPECT_EQ(lifeOf(process.reused()), Life::Gone);
    other.host = "node7";
    EXPECT_EQ(lifeOf(other), Life::Unknown);
}

TEST(HeldProcess, GetsTheSignalsThatAreSentToIt) {
    WaitingProcess process;
    const auto held = HeldProcess::hold(process.identity());
    ASSERT_TRUE(held.ok()) << held.error().message;
    EXPECT_FALSE(held->ended());
    held->send(SIGTERM);
    EXPECT_EQ(process.endedBy(), SIGTERM);
    EXPECT_TRUE(held->ended());
    held->send(SIGKILL);  // must have no effect
}

TEST(HeldProcess, ReusedNumbersAndOtherMachinesAreRefused) {
    const WaitingProcess process;
    const auto reused = HeldProcess::hold(process.reused());
    ASSERT_FALSE(reused.ok());
    EXPECT_THAT(reused.error().message, EndsWith(" has ended"));
    ProcessIdentity elsewhere = process.identity();
    elsewhere.host = "node7";
    const auto other = HeldProcess::hold(elsewhere);
    ASSERT_FALSE(other.ok());
    EXPECT_THAT(other.error().message, EndsWith("it is on another machine"));
    EXPECT_TRUE(process.alive());
}

TEST(HeldProcess, OneThatIsGoneIsRefused) {
    const auto gone = HeldProcess::hold(highwater::test::goneProcess());
    ASSERT_FALSE(gone.ok());
    EXPECT_THAT(gone.error().message, EndsWith(" has ended"));
    EXPECT_FALSE(HeldProcess::hold({}).ok());
}

}  // namespace
}  // namespace highwater::base
