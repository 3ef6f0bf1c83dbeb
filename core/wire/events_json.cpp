#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/wire/exchange.h"

namespace highwater::wire {

namespace {

using base::JsonIn;
using base::JsonOut;

Json named(std::string_view event) {
    return {{"event", event}};
}

template <class T>
Json eventJson(std::string_view name, const T& event) {
    Json json = named(name);
    JsonOut way(json);
    exchange(way, event);
    return json;
}
Json eventJson(const Started& event) {
    return eventJson("started", event);
}
Json eventJson(const LedgerSample& event) {
    return eventJson("ledger", event);
}
Json eventJson(const StepDone& event) {
    return eventJson("step", event);
}
Json eventJson(const LayerEvent& event) {
    return eventJson("layer", event);
}
Json eventJson(const PatchSaved& event) {
    return eventJson("patch", event);
}
Json eventJson(const Warning& event) {
    return eventJson("warning", event);
}
Json eventJson(const Failed& event) {
    return eventJson("failed", event);
}
Json eventJson(const Finished& finished) {
    Json json = named("finished");
    json["result"] = toJson(*finished.result);
    return json;
}

template <class T>
base::Result<Event> eventFrom(JsonIn& way) {
    T event;
    exchange(way, event);
    const base::Status read = way.finish();
    return read ? base::Result<Event>(std::move(event)) : read.error();
}

base::Result<Event> eventFrom(JsonIn& way, const Json& json, const std::string& kind) {
    static constexpr std::pair<std::string_view, base::Result<Event> (*)(JsonIn&)> kKinds[] = {
        {"started", &eventFrom<Started>},  {"ledger", &eventFrom<LedgerSample>},
        {"step", &eventFrom<StepDone>},    {"layer", &eventFrom<LayerEvent>},
        {"patch", &eventFrom<PatchSaved>}, {"warning", &eventFrom<Warning>},
        {"failed", &eventFrom<Failed>}};
    for (const auto& [name, from] : kKinds) {
        if (kind == name) {
            return from(way);
        }
    }
    if (kind != "finished") {
        return base::Error{fmt::format("no event is called \"{}\"", base::oneLine(kind, 40))};
    }
    const auto result = json.find("result");
    auto read = resultFromJson(result != json.end() ? *result : Json());
    return read ? base::Result<Event>(Finished{std::move(*read)}) : read.error();
}

}  // namespace

Json toJson(const Event& event) {
    return std::visit([](const auto& value) { return eventJson(value); }, event);
}

std::string toLine(const Event& event) {
    return toJson(event).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<Event> parseEvent(std::string_view line) {
    const auto json = base::parseJson(line, "event");
    if (!json) {
        return json.error();
    }
    JsonIn way(*json, "event");
    std::string kind;
    way("event", kind);
    if (const base::Status read = way.finish(); !read) {
        return read.error();
    }
    return eventFrom(way, *json, kind);
}

Json toJson(const RunResult& result) {
    return JsonOut::written(result);
}

base::Result<RunResult> resultFromJson(const Json& json) {
    JsonIn way(json, "result");
    RunResult result;
    exchange(way, result);
    const int last = static_cast<int>(result.layers.size()) - 1;
    if (result.peak.layer > last) {
        way.fail("peak", "names a layer that is not in the list");
    }
    if (std::ranges::any_of(result.workspaces, [&](const auto& each) { return each.layer > last; })) {
        way.fail("workspaces/layer", fmt::format("must be a whole number from -1 to {}", last));
    }
    const base::Status read = way.finish();
    return read ? base::Result<RunResult>(std::move(result)) : read.error();
}

}  // namespace highwater::wire
