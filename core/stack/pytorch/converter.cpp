#include "core/stack/pytorch/converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::stack::pytorch {

namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 40;  // beyond the size of any tensor

/// PyTorch's defaults of the arguments that layers need, from the schemas of its operators. They mean the
/// same in all operators; arguments without an entry default to None, false, 0 or an empty list.
std::optional<double> usualOf(std::string_view argument) {
    static constexpr std::pair<std::string_view, double> kUsual[] = {
        {"stride", 1},   {"dilation", 1}, {"groups", 1},      {"count_include_pad", 1}, {"eps", 1e-5},
        {"alpha", 1},    {"scale", 1},    {"input_scale", 1}, {"negative_slope", 0.01}, {"step", 1},
        {"min_val", -1}, {"max_val", 1},  {"beta", 1},        {"threshold", 20},        {"ord", 2}};
    const auto* found = std::find_if(std::begin(kUsual), std::end(kUsual),
                                     [argument](const auto& usual) { return usual.first == argument; });
    return found == std::end(kUsual) ? std::nullopt : std::optional(found->second);
}

/// The text defaults: gelu's approximation, pad's mode.
std::string usualText(std::string_view argument) {
    return argument == "mode" ? "constant" : argument == "approximate" ? "none" : "";
}

bool isPlain(std::int64_t value) {
    return value > -kFar && value < kFar;
}

}  // namespace

base::Json oneOrList(const Whole& sizes) {
    const bool one = !sizes.empty() && std::count(sizes.begin(), sizes.end(), sizes.front()) ==
                                           static_cast<std::ptrdiff_t>(sizes.size());
    return one ? base::Json(sizes.front()) : base::Json(sizes);
}

base::Json plainNumber(double value) {
    return std::abs(value) < 1e15 && value == std::floor(value) ? base::Json(static_cast<std::int64_t>(value))
                                                                : base::Json(value);
}

Whole spread(const Whole& sizes, std::size_t count) {
    return sizes.size() == 1 ? Whole(count, sizes.front()) : sizes;
}

Whole spatial(const Shape& shape) {
    return shape.size() < 2 ? Whole() : Whole(shape.begin() + 2, shape.end());
}

void Converter::refuse(std::string kind) {
    if (refusal_.empty()) {
        refusal_ = std::move(kind);
    }
}

const Argument* Converter::find(std::string_view argument) const {
    const auto found = call.arguments.find(argument);
    return found == call.arguments.end() ? nullptr : &found->second;
}

bool Converter::has(std::string_view argument) const {
    const Argument* found = find(argument);
    return found && !std::holds_alternative<Nothing>(*found);
}

bool Converter::isTensor(std::string_view argument) const {
    const Argument* found = find(argument);
    return found && std::holds_alternative<Ref>(*found);
}

Ref Converter::tensor(std::string_view argument) {
    if (isTensor(argument)) {
        return std::get<Ref>(*find(argument));
    }
    refuse(fmt::format("{} without its {}", call.name, argument));
    return graph.inputs.front();
}

Refs Converter::tensors(std::string_view argument) {
    const Argument* found = find(argument);
    if (found && std::holds_alternative<Refs>(*found) && !std::get<Refs>(*found).empty()) {
        return std::get<Refs>(*found);
    }
    refuse(fmt::format("{} without its {}", call.name, argument));
    return {};
}

Ref Converter::source() {
    return tensor(has("self") ? "self" : "input");
}

Whole Converter::integers(std::string_view argument) {
    if (!has(argument)) {
        const auto usual = usualOf(argument);
        return usual ? Whole{static_cast<std::int64_t>(*usual)} : Whole();
    }
    const Argument& found = *find(argument);
    Whole sizes;
    if (const auto* several = std::get_if<std::vector<std::int64_t>>(&found)) {
        sizes = *several;
    } else if (const auto* one = std::get_if<std::int64_t>(&found)) {
        sizes = {*one};
    } else {
        refuse(fmt::format("{} with a computed {}", call.name, argument));
    }
    if (!std::all_of(sizes.begin(), sizes.end(), isPlain)) {
        refuse(fmt::format("{} with such a {}", call.name, argument));
        return {};
    }
    return sizes;
}

std::int64_t Converter::integer(std::string_view argument) {
    const Whole one = integers(argument);
    return one.size() == 1 ? one.front() : 0;
}

double Converter::number(std::string_view argument) {
    if (!has(argument)) {
        return usualOf(argument).value_or(0);
    }
    const Argument& found = *find(argument);
    if (const auto* real = std::get_if<double>(&found)) {
        return *real;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&found)) {
        return static_cast<double>(*whole);
    }
    refuse(fmt::format("{} with a computed {}", call.name, argument));
    return 1;
}

bool Converter::boolean(std::string_view argument) {
    const Argument* found = find(argument);
    return found && std::holds_alternative<bool>(*found) ? std::get<bool>(*found)
                                                         : usualOf(argument).value_or(0) != 0;
}

std::string Converter::text(std::string_view argument) {
    const Argument* found = find(argument);
    return found && std::holds_alternative<std::string>(*found) ? std::get<std::string>(*found)
                                                                : usualText(argument);
}

std::size_t Converter::axis(std::string_view argument, std::size_t axes) {
    const std::int64_t given = integer(argument), count = static_cast<std::int64_t>(axes);
    if (given < -count || given >= count) {
        refuse(fmt::format("{} along an axis that is not there", call.name));
        return 0;
    }
    return static_cast<std::size_t>(given < 0 ? given + count : given);
}

std::size_t Converter::sizeAxes(const Shape& shape) {
    if (shape.size() < 3) {
        refuse(fmt::format("{} of a tensor without channels and sizes", call.name));
        return 1;
    }
    return shape.size() - 2;
}

bool Converter::trained(Ref ref) const {
    const Activation* held = values.activation(ref);
    return held && values.cell(*held).trained;
}

Roles Converter::parameters(std::initializer_list<std::string_view> roles) {
    Roles named;
    for (const std::string_view role : roles) {
        if (!has(role)) {
            continue;
        }
        const Held& held = values.held(tensor(role));
        const auto* constant = std::get_if<Constant>(&held);
        if (!constant || constant->parameter.empty()) {
            refuse(fmt::format("{} with computed weights", call.name));
            return {};
        }
        named.emplace(role, constant->parameter);
    }
    return named;
}

int Converter::read(Ref ref) {
    if (failed()) {
        return kInput;
    }
    const Activation* held = values.activation(ref);
    if (!held) {
        refuse(fmt::format("{} with {}", call.name, std::get<Constant>(values.held(ref)).what));
        return kInput;
    }
    return read(*held);
}

int Converter::read(const Activation& held) {
    if (failed()) {
        return kInput;
    }
    const auto value = values.read(held, call);
    if (!value) {
        refuse(value.error().message);
    }
    return value ? *value : kInput;
}

void Converter::put(base::Json& layer, const char* key, const base::Json& value,
                    const base::Json& usual) const {
    if (value != usual) {
        layer[key] = value;
    }
}

void Converter::putSizes(base::Json& layer, const char* key, std::int64_t usual) {
    const Whole sizes = integers(key);
    put(layer, key, sizes.empty() ? base::Json(usual) : oneOrList(sizes), usual);
}

void Converter::add(base::Json layer, std::vector<int> inputs, bool trained, Extra extra) {
    if (failed() || call.outputs.empty()) {
        return refuse(fmt::format("{} without an output", call.name));
    }
    const Step& step = values.append(std::move(layer), std::move(inputs), call.scopes, std::move(extra));
    values.set(call.outputs.front(), values.hold({step.output, shape(), trained, false}));
}

void Converter::overwrite(Ref target, base::Json layer, std::vector<int> inputs, Extra extra) {
    if (failed() || call.outputs.empty() || !values.activation(target)) {
        return refuse(fmt::format("{} without an output", call.name));
    }
    Activation held = *values.activation(target);
    const Step& step = values.append(std::move(layer), std::move(inputs), call.scopes, std::move(extra));
    Cell& cell = values.cell(held);
    if (values.whole(held)) {
        cell.value = step.output;
        cell.trained = true;
    } else {
        cell.lost = true;
        held = values.hold({step.output, held.shape, true, false});
        values.set(target, held);
    }
    values.set(call.outputs.front(), held);
}

void Converter::plain(base::Json layer, Extra extra) {
    const Ref from = source();
    const bool learned = !extra.parameters.empty() || trained(from);
    const int value = read(from);
    add(std::move(layer), {value}, learned, std::move(extra));
}

void Converter::write(base::Json layer, bool inplace, bool canBeInplace, std::string remark) {
    if (!inplace) {
        return plain(std::move(layer), {.remark = std::move(remark)});
    }
    const Ref target = tensor("self");
    const int value = read(target);
    if (canBeInplace) {
        layer["inplace"] = true;
    } else if (remark.empty()) {
        remark = outOfPlace();
    }
    overwrite(target, std::move(layer), {value}, {.remark = std::move(remark)});
}

void Converter::view(Activation made, std::size_t output) {
    if (failed() || call.outputs.size() <= output) {
        return refuse(fmt::format("{} without an output", call.name));
    }
    if (made.shape != shape(call.outputs[output])) {
        return refuse(fmt::format("{} of another shape", call.name));
    }
    if (made.views.size() > kMostViews) {
        return refuse(fmt::format("{} on top of {} views", call.name, kMostViews));
    }
    for (auto step = made.views.rbegin(); step != made.views.rend() && !(*step)->made; ++step) {
        ViewStep named = **step;
        named.made = call.outputs[output];
        *step = std::make_shared<const ViewStep>(std::move(named));
    }
    values.set(call.outputs[output], std::move(made));
}

void Converter::same(Ref source) {
    if (!failed() && !call.outputs.empty()) {
        values.set(call.outputs.front(), Held(values.held(source)));
    }
}

void Converter::copyOf(Ref source) {
    const int value = read(source);
    add({{"type", "clone"}}, {value}, trained(source));
}

std::string Converter::kind() const {
    return call.name.substr(0, call.name.find_last_not_of('_') + 1);
}

std::string Converter::outOfPlace() const {
    return fmt::format("that {} works in place", call.name);
}

}  // namespace highwater::stack::pytorch
