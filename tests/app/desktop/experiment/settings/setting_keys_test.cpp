// Every key of an experiment has an editor: a key that is added to core/layers, core/stack/fields.h or the
// JSON Schema fails here until it has one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/desktop/experiment/settings/augment_list.h"
#include "app/desktop/experiment/settings/settings_panel.h"
#include "app/desktop/experiment/stack/layer_options.h"
#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "tests/core/stack/json/field_schema.h"

namespace highwater::desktop {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

/// The keys of the fields of a layer or another part of an experiment.
std::vector<std::string> keysOf(const base::Json& schema) {
    std::vector<std::string> keys;
    for (const auto& [key, _] : schema["properties"].items()) {
        if (key != "type" && key != "id" && key != "layers") {  // the stack editor edits them
            keys.push_back(key);
        }
    }
    return keys;
}

std::vector<std::string> names(const QWidget& form) {
    std::vector<std::string> all;
    for (const QWidget* child : form.findChildren<QWidget*>()) {
        all.push_back(child->objectName().toStdString());
    }
    return all;
}

TEST(SettingKeys, EveryOptionOfEveryLayerHasAnEditor) {
    for (const std::string_view type : stack::typeNames()) {
        ExperimentDocument document;
        stack::Experiment e = testing::experimentFrom("conv");
        e.stack[0].op = *stack::makeOp(type);
        const auto wanted = keysOf(stack::testing::layerSchema(type));
        document.reset(e);
        LayerOptions options(document);
        options.setCurrent({0});
        for (const std::string& key : wanted) {
            EXPECT_THAT(names(options), Contains(key)) << type;
        }
        const bool hasId = type != "head";  // it passes its input through
        EXPECT_THAT(names(options), ::testing::Contains("id").Times(hasId ? 1 : 0)) << type;
    }
}

class SettingKeysTest : public ::testing::Test {
protected:
    template <class T>
    void expectEditors(const std::string& path, const T& value) {
        const auto wanted = keysOf(stack::testing::partSchema(value));
        EXPECT_THAT(wanted, Not(IsEmpty()));
        for (const std::string& key : wanted) {
            EXPECT_THAT(names(panel), Contains(path + key));
        }
    }
    ExperimentDocument document;
    SettingsPanel panel{document};
};

TEST_F(SettingKeysTest, EverySettingHasAnEditor) {
    for (const auto kind :
         {stack::Optimizer::Kind::Sgd, stack::Optimizer::Kind::Adam, stack::Optimizer::Kind::AdamW}) {
        expectEditors("/optimizer/", stack::makeOptimizer(kind));
    }
    expectEditors("/step/", stack::Step());
    expectEditors("/windows/", stack::Windows());
    expectEditors("/data/", stack::Data());
    expectEditors("/backend/", stack::Backend());
}

TEST_F(SettingKeysTest, EveryAugmentationHasTheFieldsOfItsKeys) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.data.augment = {stack::Augmentation{}};
    document.reset(e);
    for (const std::string& key : keysOf(stack::testing::partSchema(stack::Augmentation()))) {
        EXPECT_THAT(names(panel), Contains("augment 1 " + key));
    }
    EXPECT_THAT(names(panel), Contains("augment 1 type"));
}

/// The alternatives of an object of the schema; one where it has no anyOf.
std::vector<base::Json> alternatives(const base::Json& schema, base::Json of) {
    while (of.contains("$ref")) {
        of = schema.at(base::Json::json_pointer(of["$ref"].get<std::string>().substr(1)));
    }
    if (of.contains("anyOf")) {
        return of["anyOf"].get<std::vector<base::Json>>();
    }
    return {of};
}

TEST_F(SettingKeysTest, WhatTheSchemaAllowsBesideLayersHasAnEditor) {
    const auto text = base::readFile(base::resourcesFolder() / "schema" / "experiment.json");
    ASSERT_TRUE(text) << text.error().message;
    const auto schema = base::Json::parse(*text);
    const auto all = names(panel);
    int checked = 0;
    for (const auto& [section, of] : schema["properties"].items()) {
        if (section == "schema" || section == "stack" ||
            section == "left_out") {  // parts left out by an import are not settings
            continue;
        }
        for (const base::Json& alternative : alternatives(schema, of)) {
            if (!alternative.contains("properties")) {
                EXPECT_THAT(all, Contains("/" + section));
                ++checked;
                continue;
            }
            for (const auto& [key, _] : alternative["properties"].items()) {
                EXPECT_THAT(all, Contains("/" + section + "/" + key));
                ++checked;
            }
        }
    }
    EXPECT_GT(checked, 30);
}

}  // namespace
}  // namespace highwater::desktop
