#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/stack/export/parts.h"
#include "core/stack/export/scopes.h"

namespace highwater::stack::python {

namespace {

/// Writes one function. Tracks which value `x` holds at each line, and names all other values.
class Function {
public:
    Function(const Plan& plan, const Program& program, const Scope& scope)
        : plan_(plan), program_(program), scope_(scope), x_(scope.params.front()) {
        findNamed();
    }

    std::string text() {
        std::vector<std::string> params = {"self", "x"};
        for (std::size_t i = 1; i < scope_.params.size(); ++i) {
            params.push_back(plan_.valueName(scope_.params[i]));
        }
        std::string text = fmt::format("    def {}({}):\n", scope_.name, fmt::join(params, ", "));
        if (named_.contains(x_)) {
            text += fmt::format("        {} = x\n", plan_.valueName(x_));
        }
        for (std::size_t i = 0; i < scope_.items.size(); ++i) {
            const bool offload = scope_.items[i].offload;
            if (offload && indent_ == kIndent) {
                text += "        with offloaded():\n";
            }
            indent_ = kIndent + (offload ? 4 : 0);
            text += line(scope_.items[i]) + letGo(i);
        }
        std::vector<std::string> returned;
        for (const int value : scope_.returns) {
            returned.push_back(read(value));
        }
        return text + fmt::format("        return {}\n", fmt::join(returned, ", "));
    }

private:
    void findNamed() {
        int x = x_;
        for (const Item& item : scope_.items) {
            for (const int value : item.reads) {
                if (value != x) {
                    named_.insert(value);
                }
            }
            for (const int value : item.writes) {
                if (value != item.path) {
                    named_.insert(value);
                }
            }
            x = item.path == Item::kSame ? x : item.path;
        }
        for (const int value : scope_.returns) {
            if (value != x) {
                named_.insert(value);
            }
        }
    }

    std::string read(int value) const { return value == x_ ? "x" : plan_.valueName(value); }

    std::vector<std::string> reads(const Item& item) const {
        std::vector<std::string> texts;
        for (const int value : item.reads) {
            texts.push_back(read(value));
        }
        if (item.clones) {
            texts.front() += ".clone()";
        }
        return texts;
    }

    /// Returns "x = skip = "; `after` receives assignments that need a separate line.
    std::string targets(const Item& item, std::string& after) const {
        std::vector<std::string> texts;
        for (const int value : item.writes) {
            texts.push_back(value == item.path ? "x" : plan_.valueName(value));
            if (value != item.path || !named_.contains(value)) {
                continue;
            }
            if (item.writes.size() == 1) {
                texts.front() += " = " + plan_.valueName(value);
            } else {
                after += fmt::format("{:{}}{} = x\n", "", indent_, plan_.valueName(value));
            }
        }
        return fmt::format("{} = ", fmt::join(texts, ", "));
    }

    std::string line(const Item& item) {
        std::string after;
        std::string text = targets(item, after);
        std::vector<std::string> arguments = reads(item);
        if (item.path != Item::kSame) {
            x_ = item.path;
        }
        std::string comment;
        if (!item.comment.empty()) {
            comment = commentLine(indent_, item.comment);
        }
        if (item.clones) {
            comment += fmt::format("{:{}}# In place, but what the block is recomputed from must stay.\n", "",
                                   indent_);
        }
        if (const auto* const merge =
                std::get_if<Merge>(program_.steps[static_cast<std::size_t>(item.first)].op);
            merge != nullptr && item.kind == Item::Kind::Step) {
            return comment + merged(*merge, text, arguments);
        }
        std::string callee =
            "self." + (item.kind == Item::Kind::Method ? item.method : plan_.moduleName(item.first));
        if (item.checkpoint) {
            arguments.insert(arguments.begin(), callee);
            arguments.emplace_back("use_reentrant=False");
            if (!item.drawsRandomly) {
                arguments.emplace_back("preserve_rng_state=False");
            }
            callee = "checkpoint";
        }
        return comment + call(indent_, text + callee, arguments) + after;
    }

    std::string merged(const Merge& merge, const std::string& text,
                       const std::vector<std::string>& values) const {
        if (merge.kind == Merge::Kind::Concat) {
            std::vector<std::string> arguments = values;
            arguments.front().insert(0, "[");
            arguments.back() += "]";
            arguments.push_back(fmt::format("dim={}", merge.dim));
            return call(indent_, text + "torch.cat", arguments);
        }
        if (merge.kind == Merge::Kind::Attention) {
            std::vector<std::string> arguments = values;
            if (arguments.size() > 3) {
                arguments[3].insert(0, "attn_mask=");
            }
            if (merge.dropoutP > 0) {
                arguments.push_back(
                    fmt::format("dropout_p={} if self.training else 0.0", literal(merge.dropoutP)));
            }
            if (merge.isCausal) {
                arguments.emplace_back("is_causal=True");
            }
            if (merge.scale > 0) {
                arguments.push_back("scale=" + literal(merge.scale));
            }
            return call(indent_, text + "F.scaled_dot_product_attention", arguments);
        }
        if (merge.inplace) {
            return fmt::format("{:{}}{}{}.add_({})\n", "", indent_, text, values[0], values[1]);
        }
        const char sign = merge.kind == Merge::Kind::Add      ? '+'
                          : merge.kind == Merge::Kind::Sub    ? '-'
                          : merge.kind == Merge::Kind::Div    ? '/'
                          : merge.kind == Merge::Kind::Matmul ? '@'
                                                              : '*';
        return fmt::format("{:{}}{}{} {} {}\n", "", indent_, text, values[0], sign, values[1]);
    }

    /// Names that are not read after this line; they are deleted to free memory as early as possible.
    std::string letGo(std::size_t index) const {
        std::vector<std::string> gone;
        const Item& item = scope_.items[index];
        for (const int value : item.reads) {
            const bool parameter =
                std::find(scope_.params.begin(), scope_.params.end(), value) != scope_.params.end();
            const bool again = std::any_of(scope_.items.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                                           scope_.items.end(), [&](const Item& later) {
                                               return std::find(later.reads.begin(), later.reads.end(),
                                                                value) != later.reads.end();
                                           });
            const bool returned =
                std::find(scope_.returns.begin(), scope_.returns.end(), value) != scope_.returns.end();
            const std::string& name = plan_.valueName(value);
            if (named_.contains(value) && !parameter && !again && !returned &&
                index + 1 < scope_.items.size() && std::find(gone.begin(), gone.end(), name) == gone.end()) {
                gone.push_back(name);
            }
        }
        return gone.empty() ? "" : fmt::format("{:{}}del {}\n", "", indent_, fmt::join(gone, ", "));
    }

    static constexpr int kIndent = 8;
    const Plan& plan_;
    const Program& program_;
    const Scope& scope_;
    std::set<int> named_;
    int x_;
    int indent_ = kIndent;  ///< indentation of the current line
};

std::string modules(const Plan& plan, const StackInfo& info, const Program& program) {
    const auto made = [&](int i) {
        const ProgramStep& step = program.steps[static_cast<std::size_t>(i)];
        return moduleOf(*step.op, info.layers[static_cast<std::size_t>(step.layer)].input, plan.runs(i));
    };
    std::string text;
    for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
        const auto sequence = plan.sequences().find(i);
        if (sequence == plan.sequences().end()) {
            const ProgramStep& step = program.steps[static_cast<std::size_t>(i)];
            if (!std::holds_alternative<Merge>(*step.op) && step.owner == i) {
                text += assignment(made(i), plan.moduleName(i), 8);
            }
            continue;
        }
        Module block{"nn.Sequential", {}, {}, {}};
        for (int step = i; step < sequence->second; ++step) {
            block.inside.push_back(made(step));
        }
        text += assignment(block, plan.moduleName(i), 8);
        i = sequence->second - 1;
    }
    return text;
}

}  // namespace

std::vector<std::string> moduleNames(const Experiment& experiment, const StackInfo& info,
                                     const Program& program) {
    const Plan plan(experiment, info, program);
    std::vector<std::string> names(info.layers.size());
    int sequence = -1, end = 0;  // the nn.Sequential that the step is in
    for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
        const ProgramStep& step = program.steps[static_cast<std::size_t>(i)];
        if (const auto begins = plan.sequences().find(i); begins != plan.sequences().end()) {
            sequence = i;
            end = begins->second;
        }
        std::string& name = names[static_cast<std::size_t>(step.layer)];
        if (i < end) {
            name = fmt::format("{}.{}", plan.moduleName(sequence), i - sequence);
        } else if (!std::holds_alternative<Merge>(*step.op) && step.owner == i) {
            name = plan.moduleName(i);
        }
    }
    return names;
}

std::string networkClass(const Experiment& experiment, const StackInfo& info, const Program& program) {
    const Plan plan(experiment, info, program);
    std::string text = "class Network(nn.Module):\n    def __init__(self):\n        super().__init__()\n";
    text += modules(plan, info, program) + "\n";
    text += Function(plan, program, plan.scopes().back()).text();
    for (std::size_t i = 0; i + 1 < plan.scopes().size(); ++i) {
        text += "\n" + Function(plan, program, plan.scopes()[i]).text();
    }
    return text;
}

}  // namespace highwater::stack::python
