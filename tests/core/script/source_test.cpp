#include "core/wire/script_source.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/core/temporary_folder.h"

namespace highwater::wire {
namespace {

using ::testing::HasSubstr;

class Source : public ::testing::Test {
protected:
    void write(const std::string& text) const { std::ofstream(folder_.path() / "script.json") << text; }
    std::string problem() const {
        const auto read = readSource(folder_.path());
        return read ? "" : read.error().message;
    }
    test::TemporaryFolder folder_;
};

TEST_F(Source, IsReadAsItWasWritten) {
    EXPECT_FALSE(*readSource(folder_.path())) << "the run is none of a script";
    const ScriptSource source{
        {"a b/train.py", "--lr", "0.1"}, "/opt/venv", "/home/me", "rtx3060", 5, 1000, 2000};
    ASSERT_TRUE(writeSource(folder_.path(), source));
    const auto read = readSource(folder_.path());
    ASSERT_TRUE(read && *read);
    EXPECT_EQ(**read, source);
    EXPECT_EQ(commandText(source), "train.py --lr 0.1");
    ScriptSource set = source;
    set.variables = {"DATA=/data/raw", "EPOCHS=1", "NAME=a b"};
    ASSERT_TRUE(writeSource(folder_.path(), set));
    EXPECT_EQ((*readSource(folder_.path()))->variables, set.variables);
    EXPECT_EQ(commandText(set), "train.py --lr 0.1 (EPOCHS=1 NAME=a b)");
    ScriptSource secret = source;
    secret.variables = {"WANDB_API_KEY=abc", "hf_token=abc", "EPOCHS=1"};
    ASSERT_TRUE(writeSource(folder_.path(), secret));
    EXPECT_THAT((*readSource(folder_.path()))->variables,
                ::testing::ElementsAre("WANDB_API_KEY=…", "hf_token=…", "EPOCHS=1"));
    EXPECT_EQ(commandText(secret), "train.py --lr 0.1 (WANDB_API_KEY=… hf_token=… EPOCHS=1)");
    ScriptSource module;
    module.command = {"-m", "package.train"};
    EXPECT_EQ(commandText(module), "-m package.train");
    write(R"({"format": "highwater.script/1", "command": ["train.py"], "watched": true, "steps": 0})");
    const auto watched = readSource(folder_.path());
    ASSERT_TRUE(watched && *watched);
    EXPECT_TRUE((*watched)->watched && !(*watched)->pretended());
}

TEST_F(Source, DamageIsSaidInOneLine) {
    write("nothing");
    EXPECT_THAT(problem(), HasSubstr("script.json"));
    write("[]");
    EXPECT_THAT(problem(), HasSubstr("must be a JSON object"));
    write(R"({"format": "highwater.script/1", "command": [], "pretended_gpu": "h100", "steps": 3})");
    EXPECT_THAT(problem(), HasSubstr("/command: must be a list of words"));
    write(R"({"format": "highwater.script/1", "command": ["a"], "pretended_gpu": "h100", "steps": -3})");
    EXPECT_THAT(problem(), HasSubstr("/steps"));
    write(R"({"format": "highwater.script/2", "command": ["a"], "pretended_gpu": "h100", "steps": 3})");
    EXPECT_THAT(problem(), HasSubstr("/format"));
}

}  // namespace
}  // namespace highwater::wire
