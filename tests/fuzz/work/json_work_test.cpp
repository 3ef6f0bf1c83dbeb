#include <fmt/format.h>

#include "core/base/json_reader.h"
#include "core/stack/json/json.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/shapes.h"
#include "core/wire/events.h"
#include "tests/fuzz/rounds.h"
#include "tests/fuzz/work/counted_work.h"

namespace highwater::fuzz {
namespace {

/// {"k0":0,"k1":0,...}
std::string manyKeys(std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("{}\"k{}\":0", i == 0 ? "" : ",", i);
    }
    return text + "}";
}

TEST(Work, KeysOfAJsonObject) {
    expectLinearWork(5000, [](std::size_t size) {
        return [text = manyKeys(size)] {
            EXPECT_FALSE(stack::parseExperiment(text, "keys.json"));
            EXPECT_TRUE(base::parseJson(text, "keys.json"));
        };
    });
}

TEST(Work, VersionsInAnEvent) {
    expectLinearWork(2000, [](std::size_t size) {
        wire::Started started;
        for (std::size_t i = 0; i < size; ++i) {
            started.environment.versions[fmt::format("library{}", i)] = "1.0";
        }
        return [line = wire::toLine(started)] { EXPECT_TRUE(wire::parseEvent(line)); };
    });
}

/// Configurations each of which inherits from the next one and has one key.
std::string chain(std::size_t count, const std::string& last) {
    std::string text = R"({"dataset_name": "D", "configurations": {)";
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format(R"("c{}": {{"inherits_from": "c{}", "k{}": 0}}, )", i, i + 1, i);
    }
    return text + fmt::format(R"("c{}": {}}}}})", count, last);
}

TEST(Work, ConfigurationsThatInherit) {
    expectLinearWork(500, [](std::size_t size) {
        return [text = chain(size, R"({"UNet_class_name": "X"})"), size] {
            const auto names = stack::nnunetConfigurations(text, "plans.json");
            ASSERT_TRUE(names) << names.error().message;
            EXPECT_EQ(names->size(), size + 1);
            stack::NnunetOptions options;
            options.configuration = "c0";
            const auto made = stack::importNnunet(text, "plans.json", options);
            ASSERT_FALSE(made);
            expectOneLine(made.error().message);
        };
    });
}

TEST(Work, ConfigurationsThatInheritInACircle) {
    expectLinearWork(500, [](std::size_t size) {
        return [text = chain(size, R"({"inherits_from": "c0"})")] {
            EXPECT_FALSE(stack::nnunetConfigurations(text, "plans.json"));
            const auto made = stack::importNnunet(text, "plans.json", {});
            ASSERT_FALSE(made);
            expectOneLine(made.error().message);
        };
    });
}

/// Nested blocks with the same name and a layer.
stack::Experiment equalBlocks(std::size_t count) {
    stack::Experiment experiment;
    experiment.input = stack::SyntheticInput{{1, 8}};
    experiment.loss = stack::Loss::Mean;
    stack::Conv conv;
    conv.dims = 1;
    conv.kernelSize = {1};
    for (std::size_t i = 0; i < count; ++i) {
        stack::Block block;
        block.name = "the same name for all of them";
        block.layers.emplace_back().op = conv;
        experiment.stack.emplace_back().op = block;
    }
    return experiment;
}

TEST(Work, BlocksWithOneName) {
    expectLinearWork(400, [](std::size_t size) {
        return [experiment = equalBlocks(size)] { EXPECT_TRUE(stack::inferShapes(experiment)); };
    });
}

TEST(Work, NamesOfBlocksInEachOtherAreBounded) {
    stack::Block inner;
    inner.layers.emplace_back().op = stack::Dropout{};
    for (int depth = 0; depth < 20; ++depth) {
        stack::Block outer;
        outer.name = std::string(400, 'n');
        outer.layers.emplace_back().op = inner;
        inner = outer;
    }
    stack::Experiment experiment = equalBlocks(1);
    experiment.stack.emplace_back().op = inner;
    const auto info = stack::inferShapes(experiment);
    ASSERT_FALSE(info);
    expectOneLine(info.error().message);
    EXPECT_NE(info.error().message.find("blocks around it"), std::string::npos) << info.error().message;
}

}  // namespace
}  // namespace highwater::fuzz
