#pragma once

#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/core/temporary_folder.h"
#include "tests/e2e/program.h"

namespace highwater::e2e {

using Json = nlohmann::json;

/// A folder with its own store, and the command line as people type it.
class CliTest : public ::testing::Test {
protected:
    Finished cli(std::vector<std::string> arguments) {
        return Program("highwater-cli", withStore(std::move(arguments)), folder_.path()).wait();
    }
    std::vector<std::string> withStore(std::vector<std::string> arguments) const {
        if (arguments.empty() || arguments.front() == "volume" || arguments.front() == "devices" ||
            arguments.front() == "hosts" || arguments.front().starts_with("-")) {
            return arguments;
        }
        arguments.insert(arguments.end(), {"--store", store().string()});
        return arguments;
    }
    std::filesystem::path store() const { return folder_.path() / "store"; }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_.path() / name, std::ios::binary) << text;
        return (folder_.path() / name).string();
    }
    /// A small experiment that runs in milliseconds; `change` is merged into it.
    std::string experiment(const Json& change = Json::object()) const {
        Json json = Json::parse(R"({"schema": "highwater.experiment/1", "name": "small",
            "input": {"synthetic": [1, 12, 12, 12]}, "loss": "mse",
            "stack": [{"type": "conv", "out_channels": 4, "kernel_size": 3, "padding": 1}, {"type": "relu"},
                      {"type": "conv", "out_channels": 1, "kernel_size": 3, "padding": 1}],
            "step": {"batch_size": 2, "seed": 7}})");
        json.merge_patch(change);
        return write("experiment.json", json.dump());
    }
    /// An experiment that takes minutes, unless something stops it.
    std::string longExperiment() const {
        return experiment(Json::parse(R"({"name": "long", "input": {"synthetic": [1, 32, 32, 32]}})"));
    }
    static std::vector<std::string> longRun(const std::string& path) {
        return {"run", path, "--steps", "100000", "--events"};
    }
    static Json parse(const std::string& text) {
        Json json = Json::parse(text, nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << text;
        return json;
    }
    Json runs() { return parse(cli({"runs", "list", "--json"}).out).at("runs"); }
    /// Waits until the program has printed this on stdout; returns false if it has not within a minute.
    static bool says(const Program& program, const std::string& what) {
        return eventually([&] { return program.out().find(what) != std::string::npos; });
    }
    template <class Condition>
    static bool eventually(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        while (std::chrono::steady_clock::now() < end) {
            if (condition()) {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return false;
    }
    /// The engine's process id, from the run's state.
    int enginePid(const std::string& id) const {
        std::ifstream file(store() / "runs" / id / "state.json");
        const Json state = Json::parse(file, nullptr, false);
        return state.is_object() && state["owner"]["role"] == "engine" ? state["owner"]["pid"].get<int>() : 0;
    }
    static void expectRefusal(const Finished& finished, const std::string& what) {
        EXPECT_EQ(finished.exit, 2) << finished.err;
        EXPECT_EQ(finished.out, "");
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
        EXPECT_THAT(finished.err, ::testing::HasSubstr(what));
    }
    test::TemporaryFolder folder_;
};

/// Tests that need the private programs.
class EngineCliTest : public CliTest {
protected:
    void SetUp() override {
        if (const std::string missing = missingPrograms(); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
    }
};

}  // namespace highwater::e2e
