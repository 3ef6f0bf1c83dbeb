#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

class Names {
public:
    std::string make(const std::string& wanted) {
        std::string name = wanted;
        int& number = numbers_.emplace(wanted, 2).first->second;
        while (!taken_.insert(name).second) {
            name = fmt::format("{}_{}", wanted, number++);
        }
        return name;
    }

private:
    std::set<std::string> taken_;
    std::map<std::string, int> numbers_;  // the next number to try, by the wanted name
};

class Writer {
public:
    void write(const Step& step);
    void goTo(int value, const Scopes& scopes);
    Entries take() { return std::move(entries_); }

private:
    std::string name(int value);
    base::Json back(const std::vector<int>& values);

    Entries entries_;
    Names names_;
    std::map<int, Entry*> byValue_;
    int path_ = kInput;
};

void Writer::write(const Step& step) {
    int first = step.inputs.empty() ? path_ : step.inputs.front();
    std::vector<int> others(step.inputs.begin() + (step.inputs.empty() ? 0 : 1), step.inputs.end());
    if (step.commutes && std::find(others.begin(), others.end(), path_) != others.end()) {
        first = path_;
        others = step.inputs;
        std::erase(others, path_);
        if (others.empty()) {
            others = {path_};
        }
    }
    goTo(first, step.scopes);
    base::Json layer = step.layer;
    if (step.shared) {
        layer = {{"type", "shared"}, {"with", name(step.shared->output)}};
    } else if (!others.empty()) {
        layer["with"] = back(others);
    }
    const bool head = layer["type"] == "head";
    entries_.push_back({std::move(layer), step.scopes, step.parameters});
    if (head) {
        path_ = first;
    } else {
        byValue_[step.output] = &entries_.back();
        path_ = step.output;
    }
}

void Writer::goTo(int value, const Scopes& scopes) {
    if (value != path_) {
        const std::string from = name(value);
        entries_.push_back({{{"type", "branch"}, {"with", from}}, around(scopes), {}});
        path_ = value;
    }
}

base::Json Writer::back(const std::vector<int>& values) {
    base::Json names = base::Json::array();
    for (const int value : values) {
        names.push_back(name(value));
    }
    return names.size() > 1 ? names : names[0];
}

/// The id of the layer that computed the value. The input gets a layer that does nothing, so that it has an
/// id.
std::string Writer::name(int value) {
    if (value == kInput && !byValue_.contains(value)) {
        entries_.push_front({{{"type", "dropout"}, {"p", 0}, {"id", names_.make("input")}}, {}, {}});
        byValue_[kInput] = &entries_.front();
    }
    const auto found = byValue_.find(value);
    if (found == byValue_.end()) {
        return "";
    }
    Entry& entry = *found->second;
    if (!entry.layer.contains("id")) {
        std::string wanted = where(entry.scopes);
        if (!isLeaf(entry.scopes)) {
            wanted += (wanted.empty() ? "" : ".") + entry.layer["type"].get<std::string>();
        }
        entry.layer["id"] = names_.make(base::oneLine(wanted, kLongestText));
    }
    return entry.layer["id"];
}

}  // namespace

Entries writeStack(const Steps& steps, int output) {
    Writer writer;
    for (const Step* step : steps) {
        writer.write(*step);
    }
    writer.goTo(output, {});
    return writer.take();
}

}  // namespace highwater::stack::pytorch
