#include "core/ask/ask.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "core/ask/find_cudnn.h"
#include "core/ask/learner.h"
#include "core/stack/json/json.h"
#include "tests/core/temporary_folder.h"

namespace highwater::ask {
namespace {

using predict::AskedPlans;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A question about a 3D convolution with this many channels, which determine the fake's answer.
std::string question(int channels, const std::string& pass = "f", const std::string& end = "",
                     const std::string& switches = "-") {
    return "conv3d/" + pass + "/n2/c" + std::to_string(channels) +
           ",8/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1" + end + " " + switches;
}

predict::AskedKey key(const std::string& id = "a100-80") {
    return predict::askedKey(*predict::loadProfile(id), {9, 19, 0});
}

Request request(std::vector<std::string> questions) {
    Request made;
    made.library = FAKE_CUDNN_FOLDER;
    made.key = key();
    made.questions = std::move(questions);
    return made;
}

std::optional<AskedPlans> answerTo(const std::string& text) {
    const auto answers = ask(request({text}));
    EXPECT_TRUE(answers) << answers.error().message;
    const auto* const row = answers ? answers->table.find(text) : nullptr;
    EXPECT_NE(row, nullptr) << text;
    return row ? *row : std::nullopt;
}

/// The fake's answer for engine i.
base::Bytes workspace(int engine, int channels) {
    return 1000 * (engine + 1) + channels;
}

TEST(Ask, FollowsLibTorchsOrderAndWhatItLeavesOut) {
    // Engine 1 uses tensor cores, 2 converts inputs, 4 cannot be built; 5 is from the fallback list.
    const AskedPlans plain = *answerTo(question(4));
    EXPECT_EQ(plain, (AskedPlans{workspace(0, 4), workspace(0, 4), workspace(0, 4), workspace(5, 4),
                                 workspace(5, 4)}));
    // Engine 0 is nondeterministic.
    EXPECT_EQ(answerTo(question(4, "f", "", "deterministic"))->first, workspace(3, 4));
    EXPECT_EQ(answerTo(question(4, "f", "", "tf32,deterministic"))->first, workspace(1, 4));
    EXPECT_EQ(answerTo(question(4, "f", "/fp16", "deterministic"))->first, workspace(1, 4))
        << "no switch for fp16";
    EXPECT_EQ(answerTo(question(4, "b", "/gw"))->first, workspace(0, 4));
    EXPECT_EQ(answerTo(question(4, "b", "/gi"))->first, workspace(0, 4));
}

TEST(Ask, AConvTransposeIsTheGradientOfAConvolutionFromItsOutput) {
    // x of that convolution is the conv_transpose's output: 8 channels.
    const std::string text = "conv_transpose3d/f/n2/c4,8/i16,16,16/k2,2,2/s2,2,2/p0,0,0/d1,1,1/g1/o0,0,0 -";
    EXPECT_EQ(answerTo(text)->first, workspace(0, 8));
}

TEST(Ask, AnswersManyAndSaysHowFarItIs) {
    std::vector<std::string> questions;
    for (int channels = 20; channels < 60; ++channels) {
        questions.push_back(question(channels));
    }
    Request asked = request(questions);
    std::size_t last = 0;
    asked.progress = [&](std::size_t done) { last = done; };
    const auto answers = ask(asked);
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), questions.size());
    EXPECT_EQ(last, questions.size());
    EXPECT_EQ(answers->open, "");
}

std::string errorOf(const Request& asked) {
    const auto answers = ask(asked);
    return answers ? "answered" : answers.error().message;
}

TEST(Ask, SaysInOneLineWhyNobodyAnswers) {
    Request asked = request({question(4)});
    ::setenv("FAKE_CUDNN", "old", 1);
    EXPECT_EQ(errorOf(asked),
              "cuDNN was not asked: cuDNN 9.7.0 cannot be asked without a GPU; 9.8 or newer can");
    ::setenv("FAKE_CUDNN", "other", 1);
    EXPECT_EQ(errorOf(asked), "cuDNN was not asked: cuDNN 9.18.0 was found; the prediction is for 9.19.0");
    ::unsetenv("FAKE_CUDNN");
    asked.key = key("v100");
    EXPECT_EQ(errorOf(asked), "cuDNN was not asked: cuDNN 9.19.0 does not know this GPU (status 3000)");
    ::setenv("FAKE_CUDNN", "cuda13", 1);
    EXPECT_EQ(errorOf(asked),
              "cuDNN was not asked: cuDNN 9.19.0 for CUDA 13 does not support this GPU: it needs compute "
              "capability 7.5 or "
              "newer");
    ::unsetenv("FAKE_CUDNN");
    asked = request({question(4)});
    asked.library = test::nowhere();
    EXPECT_THAT(errorOf(asked), AllOf(HasSubstr("cuDNN was not asked: cuDNN cannot be loaded"),
                                      HasSubstr(test::nowhere()), Not(HasSubstr("\n"))));
}

TEST(Ask, GoesOnAfterAQuestionOverWhichCudnnDies) {
    const auto answers = ask(request({question(4), question(13), question(5)}));
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 2U);
    EXPECT_EQ(answers->table.find(question(13)), nullptr);
    EXPECT_EQ(answers->open, "cuDNN was ended by signal 6");
}

TEST(Ask, SaysWhatCudnnSaidBeforeItDied) {
    ::setenv("FAKE_CUDNN", "alone", 1);
    const auto answers = ask(request({question(4), question(13)}));
    ::unsetenv("FAKE_CUDNN");
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->open,
              "cuDNN was ended by signal 6: Invalid handle. Cannot load symbol cublasLtCreate; it needs "
              "libcublasLt of the same CUDA, which NVIDIA's cuBLAS brings");
}

TEST(Ask, GivesUpWhereItDiesAgainAndAgain) {
    std::vector<std::string> questions{question(4)};
    for (int batch = 1; batch < 20; ++batch) {
        questions.push_back(question(13, "f", batch % 2 ? "" : "/fp16"));
        questions.back().replace(questions.back().find("n2"), 2, "n" + std::to_string(batch));
    }
    questions.push_back(question(5));
    const auto answers = ask(request(questions));
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 1U) << "the last question is not reached";
    EXPECT_EQ(answers->open, "cuDNN was ended by signal 6");
}

TEST(Ask, GoesOnAfterAQuestionThatIsNotAnswered) {
    Request asked = request({question(4), question(17), question(5)});
    asked.patience = std::chrono::milliseconds(1500);
    const auto answers = ask(asked);
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 2U);
    EXPECT_EQ(answers->open, "cuDNN did not answer for 1.5 s");
}

TEST(Ask, LeavesOpenWhatCudnnRefuses) {
    const auto answers = ask(request({question(19), question(4), "nonsense"}));
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 1U);
    EXPECT_THAT(answers->open, HasSubstr("nonsense"));
}

TEST(Ask, EndsWhenItIsCancelled) {
    Request asked = request({question(4), question(17)});
    std::atomic<bool> cancel = false;
    asked.cancel = &cancel;
    asked.progress = [&](std::size_t) { cancel = true; };
    const auto begun = std::chrono::steady_clock::now();
    const auto answers = ask(asked);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 1U);
}

// --- what a prediction leaves open

constexpr const char* kNet =
    R"({"schema": "highwater.experiment/1", "input": {"synthetic": [4, 16, 16, 16]}, "loss": "mean",
    "stack": [{"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1},
              {"type": "conv", "out_channels": 8, "kernel_size": 3, "padding": 1}]})";

struct Made {
    predict::Target target;
    predict::Prediction prediction;
};

Made predicted() {
    const auto experiment = stack::parseExperiment(kNet, "net");
    const auto info = stack::inferShapes(*experiment);
    auto target = predict::gpuTarget("a100-80", *experiment);
    EXPECT_TRUE(target) << target.error().message;
    auto prediction = predict::predict(*experiment, *info, *target);
    EXPECT_TRUE(prediction) << prediction.error().message;
    return {std::move(*target), std::move(*prediction)};
}

TEST(AskWhatIsOpen, KeepsTheAnswersForTheNextPrediction) {
    const test::TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const Made before = predicted();
    EXPECT_EQ(before.prediction.withoutRow, 4U);
    EXPECT_EQ(openQuestions(before.prediction).size(), 5U) << "2 forward, 2 weights, 1 input";
    EXPECT_FALSE(before.prediction.peakAllocated.exact());

    Asking asking;
    asking.library = FAKE_CUDNN_FOLDER;
    const auto answers = askWhatIsOpen(before.target.asked->key(), before.prediction, asking);
    ASSERT_TRUE(answers) << answers.error().message;
    EXPECT_EQ(answers->table.size(), 5U);

    const Made after = predicted();
    EXPECT_EQ(after.prediction.withoutRow, 0U);
    EXPECT_EQ(after.prediction.asked, 4U);
    EXPECT_EQ(after.prediction.basis, "of 4 convolution passes: 4 asked of cuDNN 9.19.0");
    EXPECT_TRUE(after.prediction.peakAllocated.exact());
    EXPECT_FALSE(after.prediction.exact()) << "asked is not exact";
    EXPECT_THAT(openQuestions(after.prediction), ::testing::IsEmpty());
    asking.library = test::nowhere();
    EXPECT_TRUE(askWhatIsOpen(after.target.asked->key(), after.prediction, asking)) << "nothing is started";
}

TEST(AskWhatIsOpen, DoesNotAskAgainWhatWasAskedInVain) {
    const test::TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const Made made = predicted();
    const std::vector<std::string> open = openQuestions(made.prediction);
    std::set<std::string> tried(open.begin(), open.end());
    Asking asking;
    asking.library = test::nowhere();
    asking.tried = &tried;
    EXPECT_TRUE(askWhatIsOpen(made.target.asked->key(), made.prediction, asking));
    tried.erase(open.back());
    EXPECT_FALSE(askWhatIsOpen(made.target.asked->key(), made.prediction, asking));
    EXPECT_EQ(tried.size(), 5U);
}

TEST(Learner, RemembersWhatWasAnsweredForAnotherSize) {
    int asked = 0;
    Learner learner(Asking{},
                    [&](const predict::AskedKey& key, const predict::Prediction& prediction,
                        const Asking& asking) -> base::Result<Answers> {
                        ++asked;
                        Answers answers{predict::AskedTable(key), "cuDNN was ended by signal 6"};
                        const std::vector<std::string> open = openQuestions(prediction);
                        asking.tried->insert(open.begin(), open.end());
                        answers.table.add(open.front(), predict::AskedPlans{});
                        return answers;
                    });
    Made made = predicted();
    const std::size_t before = made.target.asked->size();
    EXPECT_TRUE(learner.teach(made.prediction, made.target));
    EXPECT_EQ(made.target.asked->size(), before + 1);
    EXPECT_EQ(learner.why(), "cuDNN was ended by signal 6");
    Made again = predicted();
    EXPECT_TRUE(learner.teach(again.prediction, again.target)) << "what it knows already";
    EXPECT_EQ(again.target.asked->size(), before + 1);
    const std::string first = openQuestions(again.prediction).front();
    std::erase_if(again.prediction.workspaces, [&](const auto& each) { return each.question == first; });
    EXPECT_FALSE(learner.teach(again.prediction, again.target)) << "all others were asked in vain";
    EXPECT_EQ(asked, 1);
}

TEST(Learner, AsksNobodyTwice) {
    int asked = 0;
    Learner learner(Asking{}, [&](const auto&, const auto&, const auto&) -> base::Result<Answers> {
        ++asked;
        return base::Error{"cuDNN was not asked: there is none"};
    });
    Made made = predicted();
    EXPECT_FALSE(learner.teach(made.prediction, made.target));
    EXPECT_FALSE(learner.teach(made.prediction, made.target));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(learner.why(), "cuDNN was not asked: there is none");
}

TEST(FindCudnn, IsToldByTheEnvironment) {
    EXPECT_EQ(findCudnn(), std::nullopt) << "in tests nobody is asked";
    ::setenv("HIGHWATER_CUDNN", "/opt/cudnn", 1);
    EXPECT_EQ(findCudnn(), "/opt/cudnn");
}

/// A folder that is a Python package, a place for libraries, and the current folder.
class HostileFolder : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_.path() / "nvidia/cudnn/lib");
        std::filesystem::copy(std::filesystem::path(FAKE_CUDNN_FOLDER) / "libcudnn.so.9",
                              folder_.path() / "nvidia/cudnn/lib/libcudnn.so.9");
        std::filesystem::copy(std::filesystem::path(FAKE_CUDNN_FOLDER) / "libcudnn.so.9",
                              folder_.path() / "libcudnn.so.9");
        for (const char* module : {"nvidia/__init__.py", "os.py", "site.py", "sitecustomize.py"}) {
            folder_.write(module, "open('" + marker().string() + "', 'w')\n");
        }
        ASSERT_EQ(::chdir(folder_.path().c_str()), 0);
        ::unsetenv("HIGHWATER_CUDNN");
        ::setenv("PYTHONPATH", folder_.path().c_str(), 1);
    }
    std::filesystem::path marker() const { return folder_.path() / "PYTHON_RAN"; }
    test::TemporaryFolder folder_;
};

TEST_F(HostileFolder, GivesPythonNoCodeAndNoLibrary) {
    const auto found = findCudnn();
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->string().starts_with(folder_.path().string())) << *found;
    EXPECT_TRUE(found->empty() || found->is_absolute()) << *found;
    EXPECT_FALSE(std::filesystem::exists(marker()));
}

TEST_F(HostileFolder, GivesTheLoaderNoLibrary) {
    ::setenv("LD_LIBRARY_PATH", ":.", 1);  // the result of "$LD_LIBRARY_PATH:..." if the variable is unset
    ::setenv("FAKE_CUDNN", "old", 1);
    Request asked = request({question(4)});
    asked.library.clear();
    EXPECT_THAT(errorOf(asked), Not(HasSubstr("9.7.0"))) << "the library of the current folder answered";
    asked.library = FAKE_CUDNN_FOLDER;
    EXPECT_THAT(errorOf(asked), HasSubstr("9.7.0"));
    asked.library = "nvidia/cudnn/lib";  // given by the user
    EXPECT_THAT(errorOf(asked), HasSubstr("9.7.0"));
}

}  // namespace
}  // namespace highwater::ask
