#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "core/layers/limits.h"
#include "core/stack/pytorch/multihead.h"
#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/sources.h"
#include "core/stack/pytorch/view_steps.h"

namespace highwater::stack::pytorch {

namespace {

constexpr std::string_view kRandomNumbers = "random numbers";

class StepReader {
public:
    StepReader(const Graph& graph, bool low, base::MemoryBudget& budget)
        : graph_(graph), low_(low), values_(graph, budget), sources_(graph, values_) {}
    Values read();

private:
    void takeInputs();
    void one(const Call& call);
    std::size_t localResponseNorm(std::size_t first);
    void takeSource(const Call& call, const Source& source);
    base::Json unknownLayer(const std::string& kind, Ref output) const;
    void opaque(const Call& call, const std::string& kind);
    void set(const Call& call, const Constant& constant);
    const Constant* reshapedParameter(const Call& call) const;
    Constant constantOf(const Call& call) const;
    bool changesAConstant(const Call& call) const;
    const Activation* target(const Call& call) const;

    const Graph& graph_;
    bool low_;
    Values values_;
    Sources sources_;
};

bool isIn(const Scopes& scopes, const Scope& scope) {
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

/// The call's operand, if it is an activation.
const Activation* StepReader::target(const Call& call) const {
    for (const char* name : {"self", "input"}) {
        if (const auto at = call.arguments.find(name); at != call.arguments.end()) {
            const auto* ref = std::get_if<Ref>(&at->second);
            return ref ? values_.activation(*ref) : nullptr;
        }
    }
    return nullptr;
}

bool StepReader::changesAConstant(const Call& call) const {
    const auto at = call.arguments.find(call.arguments.contains("self") ? "self" : "input");
    return call.name.ends_with('_') && at != call.arguments.end() &&
           std::holds_alternative<Ref>(at->second) && !target(call);
}

void StepReader::set(const Call& call, const Constant& constant) {
    for (const Ref ref : call.outputs) {
        values_.set(ref, constant);
    }
}

/// The number that a call adds or divides by; 0 if it is not one.
double numberOf(const Call& call, std::string_view argument) {
    const auto at = call.arguments.find(argument);
    const double* const real = at == call.arguments.end() ? nullptr : std::get_if<double>(&at->second);
    return real ? *real : 0;
}

/// Random 0s and 1s: drawn by bernoulli_, or as floor(rand + keep); optionally divided by the probability.
std::optional<Drawn> drawnBy(const Call& call, const std::optional<Drawn>& before) {
    const std::string name = call.name.substr(0, call.name.find_last_not_of('_') + 1);
    if (name == "bernoulli") {
        return Drawn{numberOf(call, "p"), false, true};
    }
    if (name == "rand") {
        return Drawn{};
    }
    if (!before) {
        return std::nullopt;
    }
    if (name == "add") {
        return Drawn{before->keep + numberOf(call, "other"), false};
    }
    const bool divides = name == "div" && std::abs(numberOf(call, "other") - before->keep) < 1e-9;
    if (name == "floor" || divides) {
        return Drawn{before->keep, divides, divides ? before->whole : true};
    }
    return std::nullopt;
}

/// The operand, if the call only gives a parameter another shape: a view, which has its gradient's sizes too.
const Constant* StepReader::reshapedParameter(const Call& call) const {
    static constexpr std::array<std::string_view, 8> kViews = {
        "view", "reshape", "unsqueeze", "squeeze", "unflatten", "flatten", "alias", "view_as"};
    if (std::find(kViews.begin(), kViews.end(), call.name) == kViews.end()) {
        return nullptr;
    }
    const auto self = call.arguments.find(call.arguments.contains("self") ? "self" : "input");
    const auto* const ref = self == call.arguments.end() ? nullptr : std::get_if<Ref>(&self->second);
    const auto* const constant = ref ? std::get_if<Constant>(&values_.held(*ref)) : nullptr;
    return constant && !constant->parameter.empty() ? constant : nullptr;
}

Constant StepReader::constantOf(const Call& call) const {
    if (const Constant* const parameter = reshapedParameter(call)) {
        return *parameter;
    }
    static constexpr std::array<std::string_view, 8> kRandom = {
        "rand", "rand_like", "randn", "randn_like", "bernoulli", "bernoulli_", "uniform_", "normal_"};
    bool random = std::find(kRandom.begin(), kRandom.end(), call.name) != kRandom.end(), parameter = false;
    std::optional<Drawn> drawn;
    std::string input;
    for (const Ref ref : call.reads) {
        if (const auto* constant = std::get_if<Constant>(&values_.held(ref))) {
            random = random || constant->what == kRandomNumbers;
            parameter = parameter || constant->what == kParameter;
            drawn = constant->drawn ? constant->drawn : drawn;
            input = input.empty() ? constant->input : input;
        }
    }
    return {std::string(!input.empty() ? input
                        : random       ? kRandomNumbers
                        : parameter    ? kParameter
                                       : kNumbers),
            "", drawnBy(call, drawn), input};
}

/// Whether the call makes a tensor that only takes the type or shape from its operand.
bool makesConstant(const Call& call) {
    static constexpr std::array<std::string_view, 8> kMakers = {"new_empty",  "new_zeros",  "new_ones",
                                                                "new_full",   "empty_like", "rand_like",
                                                                "zeros_like", "ones_like"};
    return std::find(kMakers.begin(), kMakers.end(), call.name) != kMakers.end();
}

/// The layer for an output of an operator that no layer implements; empty if it has no samples and sizes, or
/// does not contain floating-point numbers.
base::Json StepReader::unknownLayer(const std::string& kind, Ref output) const {
    const auto& meta = graph_.values[output].meta;
    const Shape& batch = graph_.shape(graph_.inputs.front());
    const bool floats = meta && (meta->dtype == kFloat || meta->dtype == kHalf || meta->dtype == kBfloat16);
    if (!floats || batch.empty() || meta->shape.size() < 2 || std::ssize(meta->shape) > kMostAxes ||
        std::find(meta->shape.begin(), meta->shape.end(), 0) != meta->shape.end() ||
        meta->shape.front() % batch.front() != 0) {
        return {};
    }
    std::vector<std::int64_t> shape(meta->shape.begin(), meta->shape.end());
    shape.front() /= batch.front();
    return {{"type", "unknown"}, {"operator", kind}, {"shape", shape}};
}

/// Represents an operator that no layer implements, so that the following ones can be checked too.
void StepReader::opaque(const Call& call, const std::string& kind) {
    std::vector<int> inputs;
    std::unordered_set<int> known;
    for (const Ref ref : call.reads) {
        if (const Activation* held = values_.activation(ref)) {
            const int value = values_.cell(*held).value;
            if (known.insert(value).second) {
                inputs.push_back(value);
            }
        }
    }
    if (inputs.empty()) {
        inputs = {kInput};  // a layer must continue from another one; nothing is differentiated through this
                            // one
    }
    Converter converter(graph_, values_, call);
    if (call.name.ends_with('_') && converter.isTensor("self") && target(call)) {
        const base::Json layer =
            call.outputs.empty() ? base::Json() : unknownLayer(kind, call.outputs.front());
        return converter.overwrite(converter.tensor("self"), layer, inputs, {.unknown = kind});
    }
    if (!call.tensorsOnly) {
        return set(call, {"a number that was computed", ""});
    }
    for (const Ref ref : call.outputs) {
        if (values_.tooLarge()) {
            return;  // each output has all inputs
        }
        const int made =
            values_.append(unknownLayer(kind, ref), inputs, call.scopes, {.unknown = kind}).output;
        values_.set(ref, values_.hold({made, graph_.shape(ref), true, false}));
    }
}

void StepReader::takeSource(const Call& call, const Source& source) {
    Extra extra;
    if (!source.parameter.empty()) {
        extra.parameters = {{"weight", source.parameter}};
    }
    const bool trained = !extra.parameters.empty();
    const int made = values_.append(source.layer, {}, call.scopes, std::move(extra)).output;
    const Activation whole = values_.hold({made, source.shape, trained, false});
    values_.set(call.outputs.front(), reshaped(whole, source.shape, graph_.shape(call)));
}

/// If there are several, each is a copy of its channels; inputs that no experiment can have are unknown.
void StepReader::takeInputs() {
    const Activation whole = values_.hold({kInput, graph_.inputShape(), false, false});
    std::int64_t start = 0;
    for (const Ref ref : graph_.inputs) {
        const Shape& shape = graph_.shape(ref);
        if (graph_.inputs.size() == 1) {
            values_.set(ref, whole);
            break;
        }
        const auto part = cut(whole, {1, start, shape[1], 1}).views.back();
        const int slice = values_.append(part->layer, {kInput}, {}, {}).output;
        const int copy = values_.append({{"type", "contiguous"}}, {slice}, {}, {}).output;
        values_.set(ref, values_.hold({copy, shape, false, false}));
        start += shape[1];
    }
    for (const Ref ref : graph_.otherInputs) {
        const std::string name = "the input " + graph_.values[ref].name;
        const base::Json layer = unknownLayer(name, ref);
        if (layer.empty()) {
            values_.set(ref, Constant{.what = name, .parameter = "", .input = name});
        } else {
            const int made = values_.append(layer, {kInput}, {}, {.unknown = name}).output;
            values_.set(ref, values_.hold({made, graph_.shape(ref), false, false}));
        }
    }
}

void StepReader::one(const Call& call) {
    const bool reads = std::any_of(call.reads.begin(), call.reads.end(),
                                   [this](Ref ref) { return values_.activation(ref) != nullptr; });
    if (!reads || changesAConstant(call) || makesConstant(call)) {
        if (const auto source = sources_.endingWith(call)) {
            return takeSource(call, *source);
        }
        const Constant made = constantOf(call);
        const bool samples = !made.input.empty() && call.tensorsOnly && !call.outputs.empty() &&
                             !unknownLayer(call.name, call.outputs.front()).empty();
        return samples ? opaque(call, fmt::format("{} with {}", call.name, made.what)) : set(call, made);
    }
    if (call.outputs.empty()) {
        return;  // an assertion
    }
    const Convert convert = converterOf(call.name);
    if (!convert) {
        return opaque(call, call.name);
    }
    Converter converter(graph_, values_, call);
    convert(converter);
    if (converter.failed()) {
        opaque(call, converter.refusal());
    }
}

/// Handles all calls of the module; returns the index of the first call after it. torch.nn.functional
/// implements it as x / (k + alpha * an average pooling of x * x) ** beta.
std::size_t StepReader::localResponseNorm(std::size_t first) {
    const Scope scope = graph_.calls[first].scopes.back();
    base::Json layer{{"type", "local_response_norm"}};
    std::optional<Ref> source;
    std::size_t end = first;
    for (; end < graph_.calls.size() && isIn(graph_.calls[end].scopes, scope); ++end) {
        const Call& call = graph_.calls[end];
        Converter c(graph_, values_, call);
        if (call.name.starts_with("avg_pool")) {
            const Whole kernel = c.integers("kernel_size");
            layer["size"] = kernel.empty() ? 0 : kernel.front();
        } else if ((call.name == "mul" || call.name == "add") && !c.isTensor("other")) {
            layer[call.name == "mul" ? "alpha" : "k"] = plainNumber(c.number("other"));
        } else if (call.name == "pow") {
            layer["beta"] = plainNumber(c.number("exponent"));
        }
        for (const Ref ref : call.reads) {
            const auto made = graph_.values[ref].madeBy;
            if (!source && values_.activation(ref) && (!made || *made < first)) {
                source = ref;
            }
        }
    }
    const Call& last = graph_.calls[end - 1];
    if (!source) {
        set(last, constantOf(last));
    } else if (layer.size() != 5) {
        opaque(last, "a local_response_norm of another form");
    } else {
        const base::Json ordered{{"type", layer["type"]},
                                 {"size", layer["size"]},
                                 {"alpha", layer["alpha"]},
                                 {"beta", layer["beta"]},
                                 {"k", layer["k"]}};
        Converter c(graph_, values_, last);
        const bool trained = c.trained(*source);
        const int value = c.read(*source);
        c.add(ordered, {value}, trained);
        if (c.failed()) {
            opaque(last, c.refusal());
        }
    }
    return end;
}

Values StepReader::read() {
    takeInputs();
    for (std::size_t index = 0; index < graph_.calls.size() && !values_.tooLarge();) {
        const Scopes& scopes = graph_.calls[index].scopes;
        const std::string_view kind = scopes.empty() ? std::string_view() : scopes.back().kind;
        if (kind == kLocalResponseNorm) {
            index = localResponseNorm(index);
            continue;
        }
        const bool begins = index == 0 || graph_.calls[index - 1].scopes != scopes;
        if (kind == kMultiheadAttention && begins) {
            if (const auto behind = multiheadAttention(graph_, values_, index, low_)) {
                index = *behind;
                continue;
            }
        }
        one(graph_.calls[index++]);
    }
    return std::move(values_);
}

}  // namespace

Values readSteps(const Graph& graph, bool low, base::MemoryBudget& budget) {
    return StepReader(graph, low, budget).read();
}

}  // namespace highwater::stack::pytorch
