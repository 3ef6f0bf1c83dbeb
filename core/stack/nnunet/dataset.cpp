#include <algorithm>
#include <set>

#include "core/stack/nnunet/plans.h"

namespace highwater::stack {

namespace {

using base::Error;
using base::Json;

bool isLabel(const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() < 65536;
}

/// Reads the labels of one entry: a number, or a list of numbers for a region.
base::Result<std::vector<std::int64_t>> labelsOf(const std::string& name, const Json& value) {
    std::vector<std::int64_t> labels;
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& label : list) {
        if (!isLabel(label)) {
            return Error{"/labels/" + name + ": must be a label from 0 to 65535 or a list of such"};
        }
        labels.push_back(label.get<std::int64_t>());
    }
    return labels;
}

}  // namespace

base::Result<NnunetDataset> readNnunetDataset(const Json& dataset) {
    if (!dataset.is_object()) {
        return Error{"must be an object"};
    }
    NnunetDataset facts;
    const char* const key = dataset.contains("channel_names") ? "channel_names" : "modality";
    const auto channels = dataset.find(key);
    if (channels == dataset.end() || !channels->is_object() || channels->empty()) {
        return Error{"/channel_names: must be an object with a name for each channel"};
    }
    facts.channels = static_cast<std::int64_t>(channels->size());
    const auto entries = dataset.find("labels");
    if (entries == dataset.end() || !entries->is_object()) {
        return Error{"/labels: must be an object with a label for each name"};
    }
    std::set<std::int64_t> labels;
    std::int64_t regions = 0;
    for (const auto& [name, value] : entries->items()) {
        if (name == "ignore") {
            facts.ignore = true;
            continue;
        }
        const auto mine = HIGHWATER_TRY(labelsOf(name, value));
        labels.insert(mine.begin(), mine.end());
        facts.regions = facts.regions || mine.size() > 1;
        regions += std::any_of(mine.begin(), mine.end(), [](std::int64_t label) { return label != 0; });
    }
    facts.foreground = static_cast<std::int64_t>(labels.size()) - (labels.contains(0) ? 1 : 0);
    facts.classes = facts.regions ? regions : static_cast<std::int64_t>(labels.size());
    if (facts.classes < 1) {
        return Error{"/labels: holds no label"};
    }
    return facts;
}

}  // namespace highwater::stack
