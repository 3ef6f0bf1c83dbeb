#include "app/desktop/experiment/stack/error_words.h"

#include <gtest/gtest.h>

namespace highwater::desktop {
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
    EXPECT_EQ(plainError("layer 3 `prelu` has fp32 parameters, so /step/precision cannot be \"fp16\""),
              QString("layer 3, prelu has fp32 parameters, so precision cannot be \"fp16\""));
    EXPECT_EQ(plainError("no convolution has been measured; `highwater-cli devices --calibrate` does it"),
              QString("no convolution has been measured; Run > Calibrate this machine does it"));
    EXPECT_EQ(plainError("/data/scans/head.nii: no such file"), QString("/data/scans/head.nii: no such file"))
        << "a file is not a setting";
}

}  // namespace
}  // namespace highwater::desktop
