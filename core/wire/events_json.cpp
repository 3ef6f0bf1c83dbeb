#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/wire/exchange.h"

namespace highwater::wire {

namespace {

using base::JsonIn;
using base::JsonOut;

/// In the order of Event's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames = {
    "started", "ledger", "step", "layer", "patch", "warning", "failed", "finished"};

template <std::size_t index = 0>
base::Result<Event> eventFrom(std::string_view name, JsonIn& way) {
    if constexpr (index == kNames.size()) {
        return base::Error{fmt::format("no event is called \"{}\"", base::oneLine(name, 40))};
    } else {
        if (name != kNames[index]) {
            return eventFrom<index + 1>(name, way);
        }
        std::variant_alternative_t<index, Event> event;
        exchange(way, event);
        const base::Status read = way.finish();
        return read ? base::Result<Event>(std::move(event)) : read.error();
    }
}

}  // namespace

Json toJson(const Event& event) {
    Json json = {{"event", kNames[event.index()]}};
    JsonOut way(json);
    std::visit([&](const auto& value) { exchange(way, value); }, event);
    return json;
}

std::string toLine(const Event& event) {
    return base::jsonText(toJson(event)) + "\n";
}

base::Result<Event> parseEvent(std::string_view line) {
    const auto json = HIGHWATER_TRY(base::parseJson(line, "event"));
    JsonIn way(json, "event");
    std::string name;
    way("event", name);
    HIGHWATER_TRY(way.finish());
    return eventFrom(name, way);
}

Json toJson(const RunResult& result) {
    return JsonOut::written(result);
}

base::Result<RunResult> resultFromJson(const Json& json) {
    JsonIn way(json, "result");
    RunResult result;
    exchange(way, result);
    const base::Status read = way.finish();
    return read ? base::Result<RunResult>(std::move(result)) : read.error();
}

}  // namespace highwater::wire
