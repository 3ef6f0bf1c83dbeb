#include <algorithm>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/study/finding.h"

namespace highwater::study {

namespace fs = std::filesystem;

constexpr std::size_t kMostFigures = 10000;
constexpr base::Whole kMostOfFinding{0, 1'000'000};

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Figure>& figure) {
    way("label", figure.label);
    way("quantity", figure.quantity);
    way("unit", figure.unit);
    way("median", figure.value.median);
    way("low", figure.value.low);
    way("high", figure.value.high);
    way("n", figure.value.n, kMostOfFinding);
    way.unless(std::string(), "at", figure.at);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, Finding>& finding) {
    way.format("schema", "highwater.finding/1");
    way("id", finding.id);
    way.choice("verdict", finding.verdict, kVerdictKeys);
    way.unless(std::string(), "boundary", finding.boundary);
    way("why", finding.why);
    way("noise", finding.noise);
    way.list("figures", finding.figures, kMostFigures);
    way.list("run_ids", finding.runIds, kMostFigures);
    way("device", finding.device);
    way("device_name", finding.deviceName);
    way("libtorch", finding.libtorch);
    way("isa", finding.isa);
    way("threads", finding.threads, kMostOfFinding);
    way("created", finding.created);
}

nlohmann::ordered_json toJson(const Finding& finding) {
    return base::JsonOut::written(finding);
}

base::Result<Finding> findingFromJson(const nlohmann::ordered_json& json) {
    return base::fromJson<Finding>(json);
}

base::Status saveFinding(const fs::path& store, const Finding& finding) {
    return base::writeInFolder(store / "claims" / (finding.id + ".json"),
                               base::jsonText(toJson(finding), 2) + "\n");
}

std::vector<Finding> loadFindings(const fs::path& store) {
    std::vector<Finding> findings;
    std::error_code bad;
    for (fs::directory_iterator entry(store / "claims", bad), end; !bad && entry != end;
         entry.increment(bad)) {
        auto finding = base::fromJsonFile<Finding>(entry->path(), base::kMiB);
        if (finding && entry->path().filename() == finding->id + ".json") {
            findings.push_back(std::move(*finding));
        }
    }
    std::sort(findings.begin(), findings.end(),
              [](const Finding& a, const Finding& b) { return a.id < b.id; });
    return findings;
}

}  // namespace highwater::study
