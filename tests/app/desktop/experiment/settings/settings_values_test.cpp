#include "app/desktop/experiment/settings/settings_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

TEST(SettingsValues, DefaultsKeepWhatHasNone) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::AdamW);
    e.optimizer.lr = 1;
    e.windows = stack::Windows{.size = {8}, .overlap = 0.25};
    e.step.seed = 9;
    const stack::Experiment d = settingDefaults(e);
    EXPECT_EQ(d.input, e.input);
    EXPECT_EQ(d.stack, e.stack);
    EXPECT_EQ(d.optimizer, stack::makeOptimizer(stack::Optimizer::Kind::AdamW));
    EXPECT_EQ(d.windows->size, (stack::Sizes{8}));
    EXPECT_EQ(d.windows->overlap, 0.5);
    EXPECT_EQ(d.step, stack::Step());
}

TEST(SettingsValues, AnotherOptimizerKeepsWhatWasChosen) {
    stack::Optimizer adam;
    adam.lr = 0.5;
    const auto adamw = withKind(adam, stack::Optimizer::Kind::AdamW);
    EXPECT_EQ(adamw.lr, 0.5);
    EXPECT_EQ(adamw.weightDecay, 0.01) << "its own default";
    adam.weightDecay = 0.25;
    EXPECT_EQ(withKind(adam, stack::Optimizer::Kind::AdamW).weightDecay, 0.25);
}

TEST(SettingsValues, ThePatchBecomesTheShapeAndBack) {
    stack::Experiment e = testing::experimentFrom("conv");
    stack::ScanInput scan;
    scan.scans = {{"a", {}, 0}, {"b", {}, 0}};
    scan.patch = {32};
    e.input = scan;
    setSynthetic(e, true);
    EXPECT_EQ(std::get<stack::SyntheticInput>(e.input).shape, (stack::Shape{2, 32, 32, 32}));
    setSynthetic(e, false);
    EXPECT_EQ(std::get<stack::ScanInput>(e.input).patch, (stack::Sizes{32, 32, 32}));
}

TEST(SettingsValues, WindowsFitTheDataOfEveryPreset) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets);
    for (const stack::Preset& preset : *presets) {
        stack::Experiment e = preset.experiment;
        if (!stack::inferShapes(e)) {
            continue;
        }
        setWindows(e, true);
        const auto info = stack::inferShapes(e);
        EXPECT_TRUE(info) << preset.title << ": " << info.error().message;
        setWindows(e, false);
        EXPECT_EQ(e, preset.experiment);
    }
}

TEST(SettingsValues, ReadsWhatIsTyped) {
    EXPECT_EQ(*parseSeed(" 18446744073709551615 "), 18446744073709551615ULL);
    for (const char* wrong : {"", "-1", "1.5", "18446744073709551616", "x"}) {
        EXPECT_FALSE(parseSeed(wrong)) << wrong;
    }
    EXPECT_EQ(*parseBetas("0.9 0.99"), (Betas{0.9, 0.99}));
    for (const char* wrong : {"", "0.9", "0.9, 1", "0.9, 0.99, 0.1", "a, b", "-0.1, 0.9"}) {
        EXPECT_FALSE(parseBetas(wrong)) << wrong;
    }
    EXPECT_EQ(*parseWindow("-160, 240"), (ValueWindow{-160, 240}));
    EXPECT_THAT(parseWindow("240, -160").error().message, HasSubstr("larger"));
    EXPECT_EQ(*parseScanPatch("32"), (stack::Sizes{32}));
    EXPECT_THAT(parseScanPatch("32 32").error().message, HasSubstr("three"));
    EXPECT_EQ(*parseSynthetic("1x64x64"), (stack::Sizes{1, 64, 64}));
    for (const char* wrong : {"64", "", "1 2 3 4 5", "0 4"}) {
        EXPECT_FALSE(parseSynthetic(wrong)) << wrong;
    }
}

TEST(SettingsValues, AByteLimitReadsBackToTheByte) {
    EXPECT_EQ(*parseLimit(""), std::nullopt);
    for (const base::Bytes bytes : {base::Bytes{1}, 256 * base::kMiB, 256 * base::kMiB + 1, 3 * base::kGiB}) {
        EXPECT_EQ(**parseLimit(limitText(bytes)), bytes) << limitText(bytes).toStdString();
    }
    EXPECT_FALSE(parseLimit("lots"));
}

}  // namespace
}  // namespace highwater::desktop
