#include "core/stack/pytorch/multihead.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/stack/pytorch/operators.h"
#include "core/stack/pytorch/view_steps.h"

namespace highwater::stack::pytorch {

namespace {

constexpr std::array<std::string_view, 11> kViews = {"transpose", "permute", "unflatten",   "unsqueeze",
                                                     "squeeze",   "view",    "reshape",     "contiguous",
                                                     "clone",     "mean",    "_unsafe_view"};
constexpr std::array<std::string_view, 6> kProducts = {"mul",     "div",     "bmm",
                                                       "softmax", "dropout", "scaled_dot_product_attention"};

bool has(const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

/// The calls of one module. PyTorch's computation is derived from them; the batch as the second axis, which
/// no layer can express, is removed.
class Multihead {
public:
    Multihead(const Graph& graph, Values& values, std::size_t first, bool low);

    bool take();
    std::size_t end() const { return end_; }

private:
    bool findCalls();
    bool findOuterValues();
    bool findFactors();
    std::optional<int> project();
    std::optional<int> attend(int projected);
    bool finish(int attended);

    std::optional<Ref> tensor(const Call& call, std::string_view argument) const;
    const Call* maker(Ref ref) const;
    Ref origin(Ref ref) const;
    /// The index of the third that contains the queries, keys or values.
    std::optional<std::int64_t> third(Ref ref) const;
    int put(base::Json layer, std::vector<int> inputs, Extra extra = {});
    std::optional<int> putLinear(const Call& linear, int input, std::string remark = "");

    const Graph& graph_;
    Values& values_;
    std::size_t first_, end_;
    bool low_;
    Scopes scopes_;
    std::vector<const Call*> linears_, products_;
    Ref source_ = 0, result_ = 0;
    std::array<Ref, 3> factors_{};
    bool batchFirst_ = true;
    std::int64_t samples_ = 0, places_ = 0, features_ = 0, heads_ = 0;
};

Multihead::Multihead(const Graph& graph, Values& values, std::size_t first, bool low)
    : graph_(graph),
      values_(values),
      first_(first),
      end_(first),
      low_(low),
      scopes_(graph.calls[first].scopes) {
    while (end_ < graph.calls.size() && graph.calls[end_].scopes == scopes_) {
        ++end_;
    }
    scopes_.back().kind = "MultiheadAttention";  // several layers, which stay within its block
}

std::optional<Ref> Multihead::tensor(const Call& call, std::string_view argument) const {
    const auto found = call.arguments.find(argument);
    const Ref* const ref = found == call.arguments.end() ? nullptr : std::get_if<Ref>(&found->second);
    return ref ? std::optional(*ref) : std::nullopt;
}

const Call* Multihead::maker(Ref ref) const {
    const auto made = graph_.values[ref].madeBy;
    return made && *made >= first_ && *made < end_ ? &graph_.calls[*made] : nullptr;
}

/// The start of a chain of views.
Ref Multihead::origin(Ref ref) const {
    for (const Call* call = maker(ref); call && has(kViews, call->name); call = maker(ref)) {
        const auto before = tensor(*call, "self");
        if (!before) {
            break;
        }
        ref = *before;
    }
    return ref;
}

std::optional<std::int64_t> Multihead::third(Ref ref) const {
    const Call* const select = maker(origin(ref));
    if (!select || select->name != "select") {
        return std::nullopt;
    }
    Converter c(graph_, values_, *select);
    const std::int64_t index = c.integer("index"), dim = c.integer("dim");
    const Call* const made = maker(origin(c.source()));
    const bool packed = !c.failed() && dim == 0 && made == linears_.front();
    return packed ? std::optional(index) : std::nullopt;
}

/// Finds two linears with an attention product between them, and otherwise only views.
bool Multihead::findCalls() {
    for (std::size_t i = first_; i < end_; ++i) {
        const Call& call = graph_.calls[i];
        if (call.name == "linear") {
            linears_.push_back(&call);
        } else if (has(kProducts, call.name)) {
            products_.push_back(&call);
        } else if (call.name != "select" && !has(kViews, call.name)) {
            return false;
        }
    }
    return linears_.size() == 2 && !products_.empty();
}

/// One tensor goes in, and one of the same shape comes out.
bool Multihead::findOuterValues() {
    Refs given, left;
    std::map<Ref, std::size_t> readers;
    for (std::size_t i = first_; i < end_; ++i) {
        for (const Ref ref : graph_.calls[i].reads) {
            ++readers[ref];
            if (!maker(ref) && values_.activation(ref) && !has(given, ref)) {
                given.push_back(ref);
            }
            if (given.size() > 1) {
                return false;
            }
        }
    }
    for (std::size_t i = first_; i < end_; ++i) {
        for (const Ref ref : graph_.calls[i].outputs) {
            if (graph_.values[ref].users > readers[ref]) {
                left.push_back(ref);
            }
        }
    }
    if (given.size() != 1 || left.size() != 1 || graph_.shape(given.front()).size() != 3 ||
        graph_.shape(left.front()) != graph_.shape(given.front()) ||
        maker(origin(left.front())) != linears_.back()) {
        return false;
    }
    source_ = given.front();
    result_ = left.front();
    const auto input = tensor(*linears_.front(), "input"), weight = tensor(*linears_.front(), "weight"),
               out = tensor(*linears_.back(), "weight");
    if (!input || !weight || !out || origin(*input) != source_) {
        return false;
    }
    batchFirst_ = *input != source_;
    Shape placesFirst = graph_.shape(source_);
    features_ = placesFirst.back();
    if (batchFirst_) {
        std::swap(placesFirst[0], placesFirst[1]);
    }
    places_ = placesFirst[0];
    samples_ = placesFirst[1];
    return graph_.shape(*input) == placesFirst && graph_.shape(*weight) == Shape{3 * features_, features_} &&
           graph_.shape(*out) == Shape{features_, features_};
}

/// Finds queries, keys and values, which are the thirds of the first linear's output.
bool Multihead::findFactors() {
    const Call& last = *products_.back();
    std::array<std::optional<Ref>, 3> found;
    if (last.name != "bmm") {
        found = {tensor(last, "query"), tensor(last, "key"), tensor(last, "value")};
    } else {
        const auto first = std::find_if(products_.begin(), products_.end(),
                                        [](const Call* call) { return call->name == "bmm"; });
        const auto left = tensor(**first, "self"), right = tensor(**first, "mat2");
        const Call* const scaled = left ? maker(origin(*left)) : nullptr;
        const Call* const turned = right ? maker(*right) : nullptr;
        found = {scaled ? tensor(*scaled, "self") : left, turned ? tensor(*turned, "self") : std::nullopt,
                 tensor(last, "mat2")};
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i] || third(*found[i]) != static_cast<std::int64_t>(i)) {
            return false;
        }
        factors_[i] = *found[i];
    }
    const Shape& queries = graph_.shape(factors_[0]);
    if (queries.empty() || queries.back() < 1 || samples_ < 1 || features_ % queries.back() != 0) {
        return false;
    }
    heads_ = features_ / queries.back();
    const Shape whole{samples_, heads_, places_, queries.back()};
    const Shape joined{samples_ * heads_, places_, queries.back()};
    return std::all_of(factors_.begin(), factors_.end(),
                       [&](Ref ref) { return graph_.shape(ref) == (last.name == "bmm" ? joined : whole); });
}

int Multihead::put(base::Json layer, std::vector<int> inputs, Extra extra) {
    return values_.append(std::move(layer), std::move(inputs), scopes_, std::move(extra)).output;
}

std::optional<int> Multihead::putLinear(const Call& linear, int input, std::string remark) {
    Converter c(graph_, values_, linear);
    base::Json layer{{"type", "linear"}, {"out_features", c.shape(c.tensor("weight")).front()}};
    c.put(layer, "bias", c.has("bias"), true);
    Extra extra{.parameters = c.parameters({"weight", "bias"}), .remark = std::move(remark)};
    return c.failed() ? std::nullopt : std::optional(put(std::move(layer), {input}, std::move(extra)));
}

/// The first linear. Its input in PyTorch is not contiguous, so it works on a copy.
std::optional<int> Multihead::project() {
    Activation given = *values_.activation(source_);
    if (!batchFirst_) {
        given = permuted(given, values_.cell(given).shape, {1, 0, 2});
    }
    const auto read = values_.read(given, *linears_.front());
    if (!read) {
        return std::nullopt;
    }
    const auto& meta = graph_.values[*tensor(*linears_.front(), "input")].meta;
    const bool copies = meta && !isContiguous(*meta);
    return putLinear(*linears_.front(), copies ? put({{"type", "clone"}}, {*read}) : *read);
}

/// PyTorch copies all three into one tensor with the axes (3, positions, samples, heads x size), each third
/// of which can be viewed as (samples x heads, positions, size). So can those of (samples, heads, 3,
/// positions, size). One kernel reads them as (samples, heads, positions, size) with positions before heads
/// in memory.
std::optional<int> Multihead::attend(int projected) {
    const std::int64_t size = features_ / heads_;
    int packed = put({{"type", "reshape"}, {"shape", Whole{-1, places_, 3, heads_, size}}}, {projected});
    const Call& last = *products_.back();
    const bool joined = last.name == "bmm";
    // With dropout these are matrix products on the CPU, which read heads before positions.
    const bool headsFirst = joined || Converter(graph_, values_, last).number("dropout_p") > 0;
    const Whole order = headsFirst ? Whole{0, 3, 2, 1, 4} : Whole{0, 2, 1, 3, 4};
    packed = put({{"type", "permute"}, {"dims", order}}, {packed});
    packed = put({{"type", "contiguous"}}, {packed});
    for (std::size_t i = 0; i < factors_.size(); ++i) {
        int part = put({{"type", "select"}, {"dim", headsFirst ? 2 : 1}, {"index", i}}, {packed});
        if (joined) {
            part = put({{"type", "reshape"}, {"shape", Whole{-1, places_, size}}}, {part});
        } else if (!headsFirst) {
            part = put({{"type", "permute"}, {"dims", Whole{0, 2, 1, 3}}}, {part});
        }
        values_.set(factors_[i], values_.hold({part, graph_.shape(factors_[i]), true, false}));
    }
    Ref made = factors_[0];
    for (const Call* product : products_) {
        for (const Ref ref : product->reads) {  // the keys are transposed
            const Call* const turns = maker(ref);
            if (turns && turns->name == "transpose" && tensor(*turns, "self") == factors_[1]) {
                Converter c(graph_, values_, *turns);
                permute(c);
            }
        }
        Call call = *product;
        call.scopes = scopes_;
        Converter c(graph_, values_, call);
        converterOf(call.name)(c);
        if (c.failed()) {
            return std::nullopt;
        }
        made = call.outputs.front();
    }
    const Activation* held = values_.activation(made);
    const base::Result<int> read = held ? values_.read(*held, *products_.back()) : base::Error{""};
    if (!read || graph_.shape(made) != graph_.shape(factors_[2])) {
        return std::nullopt;
    }
    const Whole apart{-1, heads_, places_, size};
    return joined ? put({{"type", "reshape"}, {"shape", apart}}, {*read}) : *read;
}

bool Multihead::finish(int attended) {
    int made = put({{"type", "permute"}, {"dims", Whole{0, 2, 1, 3}}}, {attended});
    // With positions before several samples, this copies the result of the memory-efficient kernel and of the
    // CPU's. The results of FlashAttention and cuDNN, which compute fp16 and bf16, already have this layout.
    const bool copies = samples_ > 1 && products_.back()->name != "bmm" && !low_;
    made = put({{"type", copies ? "clone" : "contiguous"}}, {made});
    made = put({{"type", "reshape"}, {"shape", Whole{-1, places_, features_}}}, {made});
    const Shape shape{samples_, places_, features_};
    const auto output = putLinear(
        *linears_.back(), made,
        samples_ > 1 ? fmt::format("that MultiheadAttention puts places before samples, so that PyTorch may "
                                   "copy what it gives ({}) or its gradient for the time of an operator: "
                                   "predictions may be so much too low or too high",
                                   fmt::join(shape, "x"))
                     : "");
    if (!output) {
        return false;
    }
    const Activation whole = values_.hold({*output, shape, true, false});
    values_.set(result_, batchFirst_ ? whole : permuted(whole, shape, {1, 0, 2}));
    return true;
}

bool Multihead::take() {
    if (!findCalls() || !findOuterValues() || !findFactors()) {
        return false;
    }
    const auto projected = project();
    const auto attended = projected ? attend(*projected) : std::nullopt;
    return attended && finish(*attended);
}

}  // namespace

std::optional<std::size_t> multiheadAttention(const Graph& graph, Values& values, std::size_t first,
                                              bool low) {
    Multihead module(graph, values, first, low);
    return module.take() ? std::optional(module.end()) : std::nullopt;
}

}  // namespace highwater::stack::pytorch
