#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/script/launch.h"
#include "tests/core/temporary_folder.h"

namespace highwater::script {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Folders of virtual environments, and the variables that name them.
class FindPython : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* variable : kVariables) {
            const char* const value = std::getenv(variable);
            before_.emplace_back(value != nullptr ? std::optional<std::string>(value) : std::nullopt);
            ::unsetenv(variable);
        }
    }
    void TearDown() override {
        for (std::size_t i = 0; i < before_.size(); ++i) {
            before_[i] ? ::setenv(kVariables[i], before_[i]->c_str(), 1) : ::unsetenv(kVariables[i]);
        }
    }
    /// An environment with an interpreter.
    fs::path environment(const std::string& name) const {
        const fs::path python = folder_.path() / name / "bin" / "python";
        fs::create_directories(python.parent_path());
        std::ofstream(python) << "#!/bin/sh\n";
        fs::permissions(python, fs::perms::owner_all);
        return python;
    }
    static constexpr const char* kVariables[] = {"VIRTUAL_ENV", "CONDA_PREFIX", "PATH"};
    std::vector<std::optional<std::string>> before_;
    test::TemporaryFolder folder_;
};

TEST_F(FindPython, TheActiveEnvironmentComesBeforeTheOneBesideTheScript) {
    const fs::path beside = environment("project/.venv"), active = environment("active");
    const fs::path script = folder_.path() / "project" / "train.py";
    EXPECT_EQ(*findPython({}, script), beside);
    ::setenv("VIRTUAL_ENV", (folder_.path() / "active").c_str(), 1);
    EXPECT_EQ(*findPython({}, script), active);
    EXPECT_EQ(*findPython(folder_.path() / "project/.venv", script), beside) << "what is named comes first";
    EXPECT_EQ(*findPython(beside, script), beside);
}

TEST_F(FindPython, WhatIsNoPythonIsSaid) {
    EXPECT_THAT(findPython(folder_.path(), {}).error().message,
                HasSubstr("is not a virtual environment: it has no bin/python"));
    EXPECT_THAT(findPython(folder_.path() / "none", {}).error().message, HasSubstr("is not a Python"));
    ::setenv("PATH", folder_.path().c_str(), 1);
    EXPECT_THAT(findPython({}, folder_.path() / "train.py").error().message,
                HasSubstr("no Python was found"));
}

TEST_F(FindPython, AScriptMayBeACommandOfTheEnvironment) {
    const fs::path python = environment("venv"), command = python.parent_path() / "nnUNetv2_train";
    std::ofstream(command) << "print()\n";
    EXPECT_EQ(*findScript("nnUNetv2_train", python), command);
    EXPECT_EQ(*findScript(command.string(), python), command);
    EXPECT_THAT(findScript("none", python).error().message, HasSubstr("there is no such script"));
    EXPECT_THAT(findScript("--none", python).error().message, HasSubstr("there is no such option"));
    EXPECT_THAT(findScript(folder_.path().string(), python).error().message, HasSubstr("is a folder"));
}

TEST(Variables, ThoseThatCannotBeSetAreNamed) {
    const auto problem = [](const char* variable) {
        const auto checked = checkVariable(variable);
        return checked ? "" : checked.error().message;
    };
    EXPECT_EQ(problem("nnUNet_compile=f"), "");
    EXPECT_EQ(problem("_A1="), "");
    EXPECT_EQ(problem("PYTORCH_CUDA_ALLOC_CONF=a:1,b=2"), "");
    EXPECT_EQ(problem("nnUNet_compile"), "\"nnUNet_compile\" sets no variable; write NAME=value");
    EXPECT_EQ(problem("-u=1"), "\"-u\" is not the name of a variable; a name has letters, digits and _");
    EXPECT_THAT(problem("=1"), HasSubstr("is not the name of a variable"));
    EXPECT_THAT(problem("1A=1"), HasSubstr("is not the name of a variable"));
    EXPECT_EQ(problem("LD_PRELOAD=x.so"), "LD_PRELOAD is set by Highwater itself and cannot be given");
    EXPECT_THAT(problem("HIGHWATER_PRETEND_GPU=t4"), HasSubstr("is set by Highwater itself"));
}

}  // namespace
}  // namespace highwater::script
