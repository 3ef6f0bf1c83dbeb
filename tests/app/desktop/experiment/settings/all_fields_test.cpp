#include "app/desktop/experiment/settings/all_fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/stack/json/editable.h"
#include "core/stack/presets/presets.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

const FieldToVary* named(const std::vector<FieldToVary>& fields, const QString& name) {
    const auto found = std::ranges::find(fields, name, &FieldToVary::name);
    return found == fields.end() ? nullptr : &*found;
}

/// The experiment with that value at the field's places.
base::Result<stack::Experiment> with(const stack::Experiment& e, const FieldToVary& field,
                                     const std::string& value) {
    base::Json json = stack::toEditableJson(e);
    for (const QString& pointer : field.pointers) {
        json[base::Json::json_pointer(pointer.toStdString())] = *base::parseJson(value, "value");
    }
    return stack::experimentFromJson(json, "e");
}

TEST(AllFieldsToVary, TheCurrentValueOfEveryFieldLeavesTheExperimentAsItIs) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets);
    for (const auto& preset : *presets) {
        stack::Experiment e = preset.experiment;
        e.windows = stack::Windows{};
        const auto fields = allFieldsToVary(e);
        EXPECT_GT(fields.size(), 60U) << preset.experiment.name;
        for (const FieldToVary& field : fields) {
            SCOPED_TRACE(preset.experiment.name + ": " + field.name.toStdString());
            bool same = false;
            const auto values = valuesIn(field.values);
            EXPECT_FALSE(values.empty());
            for (const std::string& value : values) {
                const auto made = with(e, field, value);
                ASSERT_TRUE(made) << value << ": " << made.error().message;
                same = same || *made == e;
            }
            // A target with numbers is an object in files, and "same as the input" has no word there.
            const bool hasNoWord = field.name == "target" || field.name.startsWith("dims of ");
            const bool isUnset = field.values == "1073741824" || field.values == "[]";
            EXPECT_TRUE(same || isUnset || hasNoWord) << field.values.toStdString();
        }
    }
}

TEST(AllFieldsToVary, LayersWithTheSameValueAreOneField) {
    const auto fields = allFieldsToVary(testing::experimentFrom("conv relu [conv]"));
    const FieldToVary* const all = named(fields, "kernel_size of 2 conv layers");
    ASSERT_TRUE(all);
    EXPECT_EQ(all->pointers, (QStringList{"/stack/0/kernel_size", "/stack/2/layers/0/kernel_size"}));
    EXPECT_EQ(all->values, "3");
    EXPECT_FALSE(all->tip.isEmpty());
    const FieldToVary* const one = named(fields, "kernel_size of layer 4");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->about, "conv in b");
    EXPECT_EQ(named(fields, "inplace of 1 relu layers"), nullptr) << "one is not several";
    EXPECT_EQ(named(fields, "id of layer 1"), nullptr);
    EXPECT_EQ(named(fields, "name"), nullptr);
    const FieldToVary* const rate = named(fields, "lr");
    ASSERT_TRUE(rate);
    EXPECT_EQ(rate->about, "optimizer");
}

TEST(AllFieldsToVary, ValuesAreWhatTheFileCanHave) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.optimizer = stack::makeOptimizer(stack::Optimizer::Kind::Adam);
    const auto fields = allFieldsToVary(e);
    ASSERT_TRUE(named(fields, "betas"));
    EXPECT_EQ(valuesIn(named(fields, "betas")->values).size(), 1U) << "a list, not two values";
    ASSERT_TRUE(named(fields, "checkpoint"));
    EXPECT_FALSE(named(fields, "checkpoint")->values.contains("plan")) << "an object in files";
    EXPECT_EQ(named(fields, "input"), nullptr) << "an object in files";
    ASSERT_TRUE(named(fields, "workspace_limit"));
}

}  // namespace
}  // namespace highwater::desktop
