// Against a real cuDNN: $HIGHWATER_TEST_CUDNN is the folder of libcudnn.so.9. The figures are of 9.19.
#include <gmock/gmock.h>

#include <cstdlib>

#include "core/ask/ask.h"

namespace highwater::ask {
namespace {

struct Reference {
    const char* device;
    const char* question;
    base::Bytes workspace;
};

// The first four are from a published memory trace of a training on a real GPU.
constexpr Reference kReferences[] = {
    {"a100-80", "conv2d/f/n1/c30,16/i256,256/k3,3/s1,1/p1,1/d1,1/g1 -", 82880},
    {"a100-80", "conv2d/f/n1/c16,32/i128,128/k3,3/s1,1/p1,1/d1,1/g1 -", 51328},
    {"a100-80", "conv2d/f/n1/c32,64/i64,64/k3,3/s1,1/p1,1/d1,1/g1 -", 205056},
    {"a100-80", "conv2d/b/n1/c32,64/i64,64/k3,3/s1,1/p1,1/d1,1/g1/gi -", 204928},
    {"a100-80", "conv3d/f/n2/c32,32/i64,192,160/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/fp16 -", 503371792},
    {"h100", "conv3d/f/n2/c32,32/i64,192,160/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/fp16 -", 503371923},
};

TEST(RealCudnn, GivesTheWorkspacesOfRealGpus) {
    const char* const folder = std::getenv("HIGHWATER_TEST_CUDNN");
    if (folder == nullptr || *folder == '\0') {
        GTEST_SKIP() << "no cuDNN: name the folder of libcudnn.so.9 in HIGHWATER_TEST_CUDNN";
    }
    for (const Reference& reference : kReferences) {
        Request request;
        request.library = folder;
        request.key = predict::askedKey(*predict::loadProfile(reference.device), {9, 19, 0});
        request.questions = {reference.question};
        const auto answers = ask(request);
        if (!answers &&
            answers.error().message.find("was found; the prediction is for") != std::string::npos) {
            GTEST_SKIP() << answers.error().message;
        }
        ASSERT_TRUE(answers) << answers.error().message;
        const auto* const row = answers->table.find(reference.question);
        ASSERT_NE(row, nullptr) << answers->open;
        ASSERT_TRUE(*row);
        EXPECT_EQ((*row)->first, reference.workspace) << reference.device << " " << reference.question;
    }
}

}  // namespace
}  // namespace highwater::ask
