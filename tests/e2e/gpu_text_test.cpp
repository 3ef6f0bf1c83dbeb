#include <charconv>

#include "tests/core/runs/gpu_store.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What the command line prints about made-up recorded GPU runs.
class GpuText : public CliTest {
protected:
    std::string add(const wire::test::GpuRun& run) {
        auto opened = runs::RunStore::open(store());
        return runs::test::addGpuRun(*opened, run);
    }
    std::string show(const std::string& run) {
        const Finished shown = cli({"runs", "show", run});
        EXPECT_EQ(shown.exit, 0) << shown.err;
        return shown.out;
    }
};

/// The figures of a line of the table of device memory; empty if there is none.
std::vector<long> figures(const std::string& text, const std::string& name) {
    std::vector<long> values;
    const std::size_t at = text.find("\n" + name);
    if (at == std::string::npos) {
        return values;
    }
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    std::istringstream rest(line.substr(name.size()));
    for (std::string word; rest >> word;) {
        if (long value = 0;
            std::from_chars(word.data(), word.data() + word.size(), value).ptr == word.data() + word.size()) {
            values.push_back(value);
        }
    }
    return values;
}

TEST_F(GpuText, TheTableSumsToWhatNvidiaSmiShows) {
    add({});
    const std::string text = show("1");
    std::vector<long> sums(2);
    for (const char* part : {"  tensors", "  rounding", "  split", "  cache", "  context", "  others"}) {
        const auto values = figures(text, part);
        ASSERT_EQ(values.size(), 2U) << part << " in\n" << text;
        for (std::size_t i = 0; i < 2; ++i) {
            sums[i] += values[i];
        }
    }
    EXPECT_EQ(figures(text, "used, as nvidia-smi shows it"), sums);
    EXPECT_EQ(figures(text, "of"), (std::vector<long>{143'771, 143'771}));
    EXPECT_THAT(text, Not(HasSubstr("an estimate")));
}

TEST_F(GpuText, SaysHowTheGpuDid) {
    add({.contextKnown = false, .hostBound = true, .throttled = true});
    const std::string text = show("1");
    EXPECT_THAT(text, HasSubstr("context (an estimate)"));
    EXPECT_THAT(text, HasSubstr("the GPU waits for the host"));
    EXPECT_THAT(text, HasSubstr("1410 MHz of 1980, 83 °C, 699 W; slowed down by power cap"));
    EXPECT_THAT(text, HasSubstr("NVIDIA H200), compute capability 9.0"));
    EXPECT_THAT(text, HasSubstr("workspace"));
    EXPECT_THAT(text, HasSubstr("640 MiB"));
}

TEST_F(GpuText, AnOutOfMemoryRunSaysWhatWouldHaveFitted) {
    add({.outOfMemory = true});
    const std::string text = show("1");
    EXPECT_THAT(text, HasSubstr("a batch of 3 would have fitted"));
    EXPECT_THAT(text, HasSubstr("cuDNN could not use its first choice 3 times"));
    EXPECT_THAT(text, HasSubstr("when it failed"));
}

TEST_F(GpuText, ComparesTwoRunsMemorySideBySide) {
    add({});
    add({.outOfMemory = true});
    const Finished compared = cli({"compare", "1", "2"});
    ASSERT_EQ(compared.exit, 0) << compared.err;
    EXPECT_EQ(figures(compared.out, "  tensors").size(), 2U) << compared.out;
    EXPECT_THAT(compared.out, ::testing::ContainsRegex("run 1 +run 2"));
}

TEST_F(GpuText, ItsJsonFitsTheSchema) {
    add({.outOfMemory = true});
    const Json shown = parse(cli({"runs", "show", "1", "--json"}).out);
    EXPECT_EQ(testing::SchemaCheck().problem("result.json", shown.at("result")), "");
    EXPECT_EQ(shown.at("result").at("failure").at("fitting_batch"), 3);
}

}  // namespace
}  // namespace highwater::e2e
