#pragma once

#include <gtest/gtest.h>

#include <QString>
#include <filesystem>

#include "app/desktop/shell/options.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"

namespace highwater::test {

/// A test of the window with its own folder: the store, the settings, experiments.
class WindowFixture : public ::testing::Test {
protected:
    std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("hw " + testName());
    desktop::Options options;

    void SetUp() override {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder / "config").string()));
        options.store = folder / "store";
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    QString saved(const stack::Experiment& experiment, const char* name = "experiment.json") const {
        EXPECT_TRUE(stack::saveExperiment(experiment, folder / name));
        return QString::fromStdString((folder / name).string());
    }
    /// As if driven: without the last session, with the first preset on a small input.
    void openSmallPreset(std::int64_t side = 24) {
        options.quit = true;
        auto experiment = (*stack::loadPresets()).front().experiment;
        experiment.input = stack::SyntheticInput{{1, side, side, side}};
        options.experiment = saved(experiment);
    }

private:
    static std::string testName() {
        const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
        return std::string(info->test_suite_name()) + " " + info->name();
    }
};

}  // namespace highwater::test
