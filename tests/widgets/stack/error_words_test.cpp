#include "widgets/stack/error_words.h"

#include <gtest/gtest.h>

namespace highwater::widgets {
namespace {

TEST(ErrorWords, LeadToWhatTheyAreAbout) {
    EXPECT_EQ(settingNamedBy("/step/precision other than fp32 is not available on the CPU"),
              QString("/step/precision"));
    EXPECT_EQ(settingNamedBy("step: micro_batches 3 does not divide batch_size 2"),
              QString("/step/micro_batches"));
    EXPECT_EQ(settingNamedBy("loss dice: needs class labels"), QString("/loss"));
    EXPECT_EQ(settingNamedBy("target labels: a labels file needs a scan"), QString("/target"));
    EXPECT_EQ(settingNamedBy("layer 3 `conv`: too large"), QString());
    EXPECT_EQ(layerNamedBy("layer 3 `conv`: too large"), 2);
    EXPECT_EQ(layerNamedBy("the stack is empty"), -1);
}

TEST(ErrorWords, ArePlain) {
    EXPECT_EQ(plainError("/step/precision other than fp32"), QString("precision other than fp32"));
    EXPECT_EQ(plainError("loss dice: needs"), QString("loss dice: needs"));
}

}  // namespace
}  // namespace highwater::widgets
