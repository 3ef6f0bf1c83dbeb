#include <fmt/format.h>

#include "core/capture/capture.h"
#include "tests/core/capture/history_read.h"
#include "tests/fuzz/hostile/pickle_text.h"
#include "tests/fuzz/rounds.h"
#include "tests/fuzz/work/counted_work.h"

namespace highwater::fuzz {
namespace {

void refuse(const std::string& pickle) {
    for (const std::string& why :
         {capture::readHistoryBytes(pickle).ok() ? "" : capture::readHistoryBytes(pickle).error().message,
          capture::openSnapshotBytes(pickle).ok() ? ""
                                                  : capture::openSnapshotBytes(pickle).error().message}) {
        expectOneLine(why);
        EXPECT_NE(why.find("twice"), std::string::npos) << why;
    }
}

TEST(Work, SegmentsThatShareTheirBlocks) {
    expectLinearWork(
        500, [](std::size_t size) { return [pickle = segmentsThatShareBlocks(size)] { refuse(pickle); }; });
}

TEST(Work, OneSegmentThatIsListedManyTimes) {
    expectLinearWork(
        500, [](std::size_t size) { return [pickle = oneSegmentManyTimes(size)] { refuse(pickle); }; });
}

TEST(Work, DevicesThatShareTheirEvents) {
    expectLinearWork(
        200, [](std::size_t size) { return [pickle = devicesThatShareEvents(size)] { refuse(pickle); }; });
}

}  // namespace
}  // namespace highwater::fuzz
