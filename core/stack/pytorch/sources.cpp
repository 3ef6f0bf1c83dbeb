#include "core/stack/pytorch/sources.h"

#include <algorithm>
#include <cmath>

namespace highwater::stack::pytorch {

namespace {

using Sizes = std::vector<std::int64_t>;

template <class T>
const T* argument(const Call& call, std::string_view name) {
    const auto found = call.arguments.find(name);
    return found == call.arguments.end() ? nullptr : std::get_if<T>(&found->second);
}

std::int64_t integer(const Call& call, std::string_view name, std::int64_t usual) {
    const auto* const given = argument<std::int64_t>(call, name);
    return given ? *given : usual;
}

bool isOneOf(const Call* call, std::initializer_list<std::string_view> names) {
    return call && std::find(names.begin(), names.end(), call->name) != names.end();
}

const Call* makerOf(const Graph& graph, Ref ref) {
    const auto made = graph.values[ref].madeBy;
    return made ? &graph.calls[*made] : nullptr;
}

/// The call that computed this call's operand; null if there is none.
const Call* before(const Graph& graph, const Call* call) {
    const Ref* const self = call ? argument<Ref>(*call, "self") : nullptr;
    return self ? makerOf(graph, *self) : nullptr;
}

constexpr int kMostPassed = 32;  // maximum number of views of one tensor between the calls of interest

/// Goes back over calls with these names.
const Call* beforeAll(const Graph& graph, const Call* call, std::initializer_list<std::string_view> names) {
    for (int i = 0; i < kMostPassed && isOneOf(call, names); ++i) {
        call = before(graph, call);
    }
    return call;
}

/// The integer root of the number; 0 if there is none.
std::int64_t rootOf(std::int64_t number, std::size_t degree) {
    const std::int64_t root = std::llround(std::pow(number, 1.0 / static_cast<double>(degree)));
    return placesOf(Sizes(degree, root)) == number ? root : 0;
}

/// The window with this many positions and distances, with equal sizes; empty if there is none.
Sizes windowOf(std::int64_t places, std::int64_t distances) {
    constexpr std::size_t kMostWindowAxes = 3;
    for (std::size_t axes = 1; axes <= kMostWindowAxes; ++axes) {
        const std::int64_t size = rootOf(places, axes);
        if (Sizes window(axes, size); size > 0 && distancesOf(window) == distances) {
            return window;
        }
    }
    return {};
}

/// The buffer that is used as an index, directly or as a copy.
struct Index {
    std::int64_t elements = 0;
    bool copied = false;
};

Index indexOf(const Graph& graph, Ref ref) {
    Index index;
    for (int i = 0; i < kMostPassed; ++i) {
        const Call* const call = makerOf(graph, ref);
        const Ref* const self = call ? argument<Ref>(*call, "self") : nullptr;
        if (!self ||
            !isOneOf(call, {"clone", "alias", "reshape", "view", "flatten", "slice", "contiguous"})) {
            break;
        }
        index.copied = index.copied || call->name == "clone";
        ref = *self;
    }
    index.elements = makerOf(graph, ref) ? 0 : elements(graph.shape(ref));
    return index;
}

/// table[index].reshape(n, n, -1).permute(2, 0, 1).contiguous()
std::optional<Source> relativePositionBias(const Graph& graph, const Values& values, const Call& call) {
    const Call* const permute = before(graph, &call);
    if (call.name != "contiguous" || !isOneOf(permute, {"permute"})) {
        return std::nullopt;
    }
    const Call* const rows = beforeAll(graph, before(graph, permute), {"reshape", "view"});
    const auto* const dims = argument<Sizes>(*permute, "dims");
    const Ref* const table = isOneOf(rows, {"index"}) ? argument<Ref>(*rows, "self") : nullptr;
    const auto* const indices = table ? argument<Refs>(*rows, "indices") : nullptr;
    const auto* const held = table ? std::get_if<Constant>(&values.held(*table)) : nullptr;
    if (!dims || *dims != Sizes{2, 0, 1} || !indices || indices->size() != 1 || !held ||
        held->parameter.empty()) {
        return std::nullopt;
    }
    const Shape &its = graph.shape(*table), &made = graph.shape(call);
    const Index index = indexOf(graph, indices->front());
    const std::int64_t whole = rootOf(index.elements, 2);
    if (its.size() != 2 || made.size() != 3 || made[0] != its[1] || made[1] != made[2] || made[1] > whole) {
        return std::nullopt;
    }
    const Sizes window = windowOf(whole, its[0]);
    if (window.empty()) {
        return std::nullopt;
    }
    base::Json layer{{"type", "relative_position_bias"}, {"window_size", window}, {"num_heads", made[0]}};
    if (made[1] < whole) {
        layer["places"] = made[1];
    }
    if (index.copied) {
        layer["copy_index"] = true;
    }
    return Source{std::move(layer), {1, made[0], made[1], made[1]}, held->parameter};
}

double filledWith(const Call& call) {
    const auto* const real = argument<double>(call, "value");
    return real ? *real : static_cast<double>(integer(call, "value", 1));
}

}  // namespace

/// Collects all slices once, regardless of the number of masks in the graph.
void Sources::findCuts() {
    for (const Call& call : graph_.calls) {
        const std::int64_t start = integer(call, "start", 0), end = integer(call, "end", 0);
        if (call.name == "slice" && start < 0 && end < 0) {
            cuts_[{beforeAll(graph_, &call, {"slice"}), integer(call, "dim", 0)}] = -end;
        }
    }
    searched_ = true;
}

/// The shift of the windows, from the numbered sections of each axis: slice(-window, -shift).
Sizes Sources::shiftsOf(const Call* image, std::size_t axes, std::int64_t firstAxis) {
    if (!searched_) {
        findCuts();
    }
    Sizes shifts(axes, 0);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto cut = cuts_.find({image, firstAxis + static_cast<std::int64_t>(axis)});
        shifts[axis] = cut == cuts_.end() ? 0 : cut->second;
    }
    return shifts;
}

/// (a - b).masked_fill(a - b != 0, -100).masked_fill(a - b == 0, 0), where a and b are the section numbers of
/// an image, window by window.
std::optional<Source> Sources::windowMask(const Call& call) {
    const Graph& graph = graph_;
    constexpr double kApart = -100;
    const Call* const first = call.name == "masked_fill" ? before(graph, &call) : nullptr;
    const Call* const difference = isOneOf(first, {"masked_fill"}) ? before(graph, first) : nullptr;
    if (!isOneOf(difference, {"sub"}) || filledWith(*first) != kApart || filledWith(call) != 0) {
        return std::nullopt;
    }
    const Call* split = nullptr;
    const Call* image = before(graph, difference);
    for (int i = 0; i < kMostPassed &&
                    isOneOf(image, {"unsqueeze", "squeeze", "view", "reshape", "contiguous", "permute"});
         ++i) {
        split = image;
        image = before(graph, image);
    }
    const Shape& made = graph.shape(call);
    if (!isOneOf(image, {"zeros", "new_zeros"}) || !isOneOf(split, {"view", "reshape"}) || made.size() != 3 ||
        made[1] != made[2]) {
        return std::nullopt;
    }
    Shape size = graph.shape(*image), parts = graph.shape(*split);
    const bool padded = parts.size() == 2 * (size.size() - 2) + 2;  // [1, sizes, 1]
    if (padded) {
        size = Shape(size.begin() + 1, size.end() - 1);
        parts = Shape(parts.begin() + 1, parts.end() - 1);
    }
    if (size.empty() || parts.size() != 2 * size.size()) {
        return std::nullopt;
    }
    Sizes window;
    for (std::size_t axis = 0; axis < size.size(); ++axis) {
        window.push_back(parts[2 * axis + 1]);
    }
    const Sizes shifts = shiftsOf(image, window.size(), padded ? 1 : 0);
    base::Json layer{
        {"type", "window_mask"}, {"size", size}, {"window_size", window}, {"shift_size", shifts}};
    return Source{std::move(layer), {1, made[0], 1, made[1], made[1]}, ""};
}

std::optional<Source> Sources::endingWith(const Call& call) {
    auto found = relativePositionBias(graph_, values_, call);
    return found ? found : windowMask(call);
}

}  // namespace highwater::stack::pytorch
