#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"

namespace highwater::stack::python {

namespace {

std::string text(const Module& module, const std::string& before, const std::string& after, int indent) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    const std::string remark = module.remark.empty() ? "" : "  # " + module.remark;
    if (module.inside.empty()) {
        const std::string line = call(indent, before + module.name, module.arguments, after + remark);
        if (remark.empty() || line.find('\n') + 1 == line.size()) {
            return line;
        }
        return margin + remark.substr(2) + "\n" + call(indent, before + module.name, module.arguments, after);
    }
    std::string lines = margin + before + module.name + "(\n";
    for (const Module& each : module.inside) {
        lines += text(each, "", ",", indent + 4);
    }
    return lines + margin + ")" + after + "\n";
}

/// Adds the classes that the layers of type T need.
template <class T>
void addSources(const Program& program, std::vector<std::string_view>& texts) {
    for (const ProgramStep& step : program.steps) {
        const auto* const layer = std::get_if<T>(step.op);
        const std::string_view text = layer ? classText(About<T>::module(*layer, {}).name) : "";
        if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
            texts.push_back(text);
        }
    }
}

/// The same for a type whose classes need others.
template <class T>
    requires requires { About<T>::sources(); }
void addSources(const Program& program, std::vector<std::string_view>& texts) {
    for (const Source<T>& source : About<T>::sources()) {
        const auto needs = [&source](const ProgramStep& step) {
            const auto* const layer = std::get_if<T>(step.op);
            return layer != nullptr && source.needed(*layer);
        };
        if (std::any_of(program.steps.begin(), program.steps.end(), needs)) {
            texts.push_back(source.text);
        }
    }
}

}  // namespace

std::string ownModules(const Program& program) {
    std::vector<std::string_view> texts;
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (addSources<std::variant_alternative_t<Index, Op>>(program, texts), ...);
    }(std::make_index_sequence<std::variant_size_v<Op>>());
    return fmt::format("{}", fmt::join(texts, "\n\n"));
}

Module moduleOf(const Op& op, const Shape& input, int runs) {
    const Place place{static_cast<int>(input.size()) - 2, input[1], input.back(), runs};
    return ask(op, [&](auto about, const auto& layer) { return about.module(layer, place); });
}

std::string assignment(const Module& module, const std::string& name, int indent) {
    return text(module, "self." + name + " = ", "", indent);
}

}  // namespace highwater::stack::python
