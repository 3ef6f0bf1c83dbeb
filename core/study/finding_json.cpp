#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/study/finding.h"

namespace highwater::study {

namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::JsonReader;

constexpr double kMost = std::numeric_limits<double>::max();
constexpr std::size_t kMostFigures = 10000;

Json figureJson(const Figure& figure) {
    Json json = {{"label", figure.label},   {"quantity", figure.quantity},
                 {"unit", figure.unit},     {"median", figure.value.median},
                 {"low", figure.value.low}, {"high", figure.value.high},
                 {"n", figure.value.n}};
    if (!figure.at.empty()) {
        json["at"] = figure.at;
    }
    return json;
}

Figure readFigure(JsonReader& reader) {
    Figure figure;
    figure.label = reader.text("label");
    figure.quantity = reader.text("quantity");
    figure.unit = reader.text("unit");
    figure.value.median = reader.number("median", -kMost, kMost);
    figure.value.low = reader.number("low", -kMost, kMost);
    figure.value.high = reader.number("high", -kMost, kMost);
    figure.value.n = static_cast<int>(reader.integer("n", 0, 1000000));
    figure.at = reader.text("at", "");
    return figure;
}

/// The entries of a list, at most `most`, each read by `read(value, where)`.
template <class Read>
void each(JsonReader& reader, std::string_view key, std::size_t most, const Read& read) {
    const Json* list = reader.raw(key);
    if (!list || !list->is_array() || list->size() > most) {
        return reader.fail(key, fmt::format("must be a list of at most {}", most));
    }
    for (std::size_t i = 0; i < list->size() && !reader.failed(); ++i) {
        read((*list)[i], fmt::format("{}/{}", reader.pointer(key), i));
    }
}

void readParts(JsonReader& reader, Finding& finding) {
    each(reader, "figures", kMostFigures, [&](const Json& value, const std::string& where) {
        JsonReader inner(value, where);
        if (!inner.failed()) {
            finding.figures.push_back(readFigure(inner));
        }
        if (const auto status = inner.finish(); !status) {
            reader.failAt(status.error().message);
        }
    });
    each(reader, "run_ids", kMostFigures, [&](const Json& value, const std::string& where) {
        if (value.is_string()) {
            finding.runIds.push_back(value.get<std::string>());
        } else {
            reader.failAt(where + ": must be text");
        }
    });
}

}  // namespace

nlohmann::ordered_json toJson(const Finding& finding) {
    Json json = {
        {"schema", "highwater.finding/1"}, {"id", finding.id}, {"verdict", verdictKey(finding.verdict)}};
    if (!finding.boundary.empty()) {
        json["boundary"] = finding.boundary;
    }
    json["why"] = finding.why;
    json["noise"] = finding.noise;
    json["figures"] = Json::array();
    for (const Figure& figure : finding.figures) {
        json["figures"].push_back(figureJson(figure));
    }
    json["run_ids"] = finding.runIds;
    json["device"] = finding.device;
    json["device_name"] = finding.deviceName;
    json["libtorch"] = finding.libtorch;
    json["isa"] = finding.isa;
    json["threads"] = finding.threads;
    json["created"] = finding.created;
    return json;
}

base::Result<Finding> findingFromJson(const nlohmann::ordered_json& json) {
    JsonReader reader(json, "");
    Finding finding;
    if (!reader.failed() && reader.text("schema") != "highwater.finding/1") {
        reader.fail("schema", "must be \"highwater.finding/1\"");
    }
    finding.id = reader.text("id");
    finding.verdict = static_cast<Verdict>(
        reader.choice("verdict", {"holds", "does_not_hold", "depends", "not_testable_here"}));
    finding.boundary = reader.text("boundary", "");
    finding.why = reader.text("why");
    finding.noise = reader.boolean("noise");
    if (!reader.failed()) {
        readParts(reader, finding);
    }
    finding.device = reader.text("device");
    finding.deviceName = reader.text("device_name");
    finding.libtorch = reader.text("libtorch");
    finding.isa = reader.text("isa");
    finding.threads = static_cast<int>(reader.integer("threads", 0, 1000000));
    finding.created = reader.text("created");
    if (const auto status = reader.finish(); !status) {
        return status.error();
    }
    return finding;
}

base::Status saveFinding(const fs::path& store, const Finding& finding) {
    std::error_code bad;
    fs::create_directories(store / "claims", bad);
    if (bad) {
        return Error{fmt::format("{}: {}", (store / "claims").string(), bad.message())};
    }
    const std::string text = toJson(finding).dump(2, ' ', false, Json::error_handler_t::replace);
    return base::writeFileAtomically(store / "claims" / (finding.id + ".json"), text + "\n");
}

std::vector<Finding> loadFindings(const fs::path& store) {
    std::vector<Finding> findings;
    std::error_code bad;
    for (fs::directory_iterator entry(store / "claims", bad), end; !bad && entry != end;
         entry.increment(bad)) {
        const auto json = base::readJson(entry->path(), base::kMiB);
        auto finding = json ? findingFromJson(*json) : base::Result<Finding>(json.error());
        if (finding && entry->path().filename() == finding->id + ".json") {
            findings.push_back(std::move(*finding));
        }
    }
    std::sort(findings.begin(), findings.end(),
              [](const Finding& a, const Finding& b) { return a.id < b.id; });
    return findings;
}

}  // namespace highwater::study
