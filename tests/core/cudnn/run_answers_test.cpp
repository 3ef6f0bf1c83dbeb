#include "core/cudnn/run_answers.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/cudnn/plan_text.h"
#include "tests/core/temporary_folder.h"

// The answers for a run on the pretended device. tests/core/ask/fake_cudnn.cpp replaces cuDNN: its engine i
// has the workspace 1000 (i + 1) + C; engine 0 is nondeterministic, 1 uses tensor cores, 2 converts, 4 cannot
// be built, 5 is from the fallback list.
namespace highwater::cudnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHalf = "conv3d/f/n2/c4,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/fp16 -";
constexpr const char* kShipped = "conv1d/b/n16/c1,32/i4096/k9/s1/p4/d1/g1/gw/fp16 -";

class RunAnswersTest : public testing::Test {
protected:
    void SetUp() override {
        setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
        unsetenv("FAKE_CUDNN");
    }
    static RunSetup setup(const std::string& gpu = "a100-80", predict::CudnnVersion version = {9, 19, 0},
                          const fs::path& library = FAKE_CUDNN_FOLDER) {
        return {*predict::loadProfile(gpu), version, 12, library};
    }
    fs::path cacheFile() const {
        return folder_.path() / "highwater/calibration/cudnn/plans-9.19.0_cuda12_a100-80.txt";
    }
    static std::string answer(RunAnswers& answers, const std::string& question) {
        const auto found = answers.answer(question);
        return found ? *found : "error: " + found.error().message;
    }
    test::TemporaryFolder folder_;
};

TEST_F(RunAnswersTest, GiveAllPlansAndKeepThem) {
    const std::string plans = "0:1004:h:4 1:2004:h:0 3:4004:h: 5:6004:f:";
    {
        RunAnswers first(setup());
        EXPECT_EQ(answer(first, kHalf), "asked " + plans);
        EXPECT_EQ(answer(first, kHalf), "cached " + plans);
        EXPECT_EQ(first.takeRemark(), "");
    }
    RunAnswers second(setup("a100-80", {9, 19, 0}, "/nowhere"));
    EXPECT_EQ(answer(second, kHalf), "cached " + plans) << "cuDNN is not loaded for it";
    EXPECT_EQ(second.takeRemark(), "");
}

TEST_F(RunAnswersTest, TakeNoOtherDevicesAnswers) {
    RunAnswers first(setup());
    EXPECT_TRUE(answer(first, kHalf).starts_with("asked "));
    RunAnswers other(setup("t4"));
    EXPECT_TRUE(answer(other, kHalf).starts_with("asked "));
}

TEST_F(RunAnswersTest, IgnoreWhatTheirFileHasNoUseFor) {
    {
        RunAnswers first(setup());
        answer(first, kHalf);
    }
    const std::string good = *base::readFile(cacheFile());
    ASSERT_TRUE(base::writeFileAtomically(cacheFile(), good + "nonsense\nquestion = 1:x:h:\nbroken = 1:2"));
    RunAnswers second(setup());
    EXPECT_TRUE(answer(second, kHalf).starts_with("cached "));
    ASSERT_TRUE(base::writeFileAtomically(cacheFile(), "{\"schema\":\"another\"}\n" + good));
    RunAnswers third(setup());
    EXPECT_TRUE(answer(third, kHalf).starts_with("asked "));
    EXPECT_EQ(*base::readFile(cacheFile()), good) << "it began anew";
}

TEST_F(RunAnswersTest, AreShippedOnesWhereCudnnCannotBeAsked) {
    RunAnswers answers(setup("h200", {9, 19, 0}, "/nowhere"));
    const auto table = answer(answers, kShipped);
    ASSERT_TRUE(table.starts_with("table ")) << table;
    const auto plans = parsePlans(std::string_view(table).substr(6));
    ASSERT_TRUE(plans);
    ASSERT_EQ(plans->size(), 12u) << "ten that are timed, the smallest and the largest of all";
    EXPECT_EQ(plans->front().workspace, 6154859);
    EXPECT_EQ((*plans)[1].workspace, 4928959);
    EXPECT_EQ(plans->back().workspace, 7606995);
    EXPECT_TRUE(answers.takeRemark().starts_with("cuDNN cannot be loaded: "));
    EXPECT_EQ(answers.takeRemark(), "");
}

TEST_F(RunAnswersTest, AreGuessedForVersionsThatCannotBeAsked) {
    setenv("FAKE_CUDNN", "old", 1);
    RunAnswers answers(setup("a100-80", {9, 7, 0}));
    const std::string guessed = answer(answers, kHalf);
    EXPECT_TRUE(guessed.starts_with("guessed 0:")) << guessed;
    EXPECT_EQ(answers.takeRemark(), "cuDNN 9.7.0 cannot be asked without a GPU; 9.8 or newer can");
    setenv("FAKE_CUDNN", "other", 1);
    RunAnswers another(setup());
    EXPECT_TRUE(answer(another, kHalf).starts_with("guessed ")) << "those of another version are not its own";
    EXPECT_EQ(another.takeRemark(), "cuDNN 9.18.0 is installed, which cannot be asked about 9.19.0");
}

TEST_F(RunAnswersTest, GuessBothWithTensorCoresAndWithoutForFloats) {
    RunAnswers answers(setup("a100-80", {9, 1, 0}, "/nowhere"));
    const auto guessed = answer(answers, "conv3d/f/n2/c8,8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1 tf32");
    const auto plans = parsePlans(std::string_view(guessed).substr(8));
    ASSERT_TRUE(plans) << guessed;
    ASSERT_EQ(plans->size(), 24u);
    EXPECT_EQ(plans->front().notes, std::vector{api::Note::TensorCore});
    EXPECT_EQ(plans->front().workspace, 4 * (2 * 8 * 16 * 16 * 16 * 2 + 8 * 8 * 27)) << "X + Y + W";
    EXPECT_EQ((*plans)[12].notes, std::vector<api::Note>());
    EXPECT_EQ((*plans)[12].workspace, 0);
}

TEST_F(RunAnswersTest, BeginWithThePlanThatIsKnownToRunOnTheDevice) {
    RunAnswers answers(setup("h200"));
    EXPECT_EQ(answer(answers, "conv2d/f/n2/c4,8/i16,16/k1,1/s1,1/p0,0/d1,1/g1 tf32"),
              "asked -1:400:h:0 0:1004:h:4 1:2004:h:0 3:4004:h: 5:6004:f:");
    EXPECT_EQ(answer(answers, "conv2d/f/n2/c4,8/i16,16/k3,3/s1,1/p1,1/d1,1/g1 tf32"),
              "asked 0:1004:h:4 1:2004:h:0 3:4004:h: 5:6004:f:");
}

TEST_F(RunAnswersTest, RefuseWhatIsNoQuestion) {
    RunAnswers answers(setup());
    for (const char* bad : {"", "what", "conv3d -", "conv2d/b/n2/c4,8/i16,16/k1,1/s1,1/p0,0/d1,1/g1 -"}) {
        EXPECT_FALSE(answers.answer(bad)) << bad;
    }
}

TEST(PlanText, IsReadAsItWasWritten) {
    const std::vector<Plan> plans{{38, 4096, false, {api::Note::TensorCore, api::Note::Winograd}},
                                  {0, 0, true, {}}};
    EXPECT_EQ(planText(plans), "38:4096:h:0,5 0:0:f:");
    const auto read = parsePlans(planText(plans));
    ASSERT_TRUE(read);
    EXPECT_EQ(planText(*read), planText(plans));
    EXPECT_EQ(parsePlans("")->size(), 0u);
    for (const char* bad : {"1", "1:2", "1:2:x:", "1:-2:h:", "a:2:h:", "1:2:h:n", "1:2:h:0  3:4:h:"}) {
        EXPECT_FALSE(parsePlans(bad)) << bad;
    }
}

}  // namespace
}  // namespace highwater::cudnn
