#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/cases.h"
#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

using base::formatBytes;
using cases::CaseNeed;
using Json = nlohmann::ordered_json;

const char* fitsWord(const CaseNeed& need) {
    return !need.fits()                             ? "no"
           : need.way == CaseNeed::Way::MayFallBack ? "yes, perhaps twice as slow"
                                                    : "yes";
}

std::vector<std::string> rowOf(const CaseNeed& need) {
    if (!need.problem.empty()) {
        return {need.name, "", "", "", "", "", "", "unknown", need.problem};
    }
    const bool hosts = need.way != CaseNeed::Way::OnDevice;
    return {need.name,
            base::formatShape(need.size.original),
            base::formatShape(need.size.resampled),
            std::to_string(need.size.windows),
            formatBytes(need.onDevice.reserved.expected),
            formatBytes(need.onHost.reserved.expected),
            fmt::format("{} ({})", formatBytes(need.hostPeak),
                        (hosts ? need.onHost : need.onDevice).host.phase()),
            fitsWord(need),
            fmt::format("{}{}", cases::wayText(need.way),
                        need.hostSuffices ? "" : "; more than the host's memory")};
}

Json hostJson(const cases::PlaceNeed& need) {
    return {{"preprocessing_bytes", need.host.preprocessing},
            {"windows_bytes", need.host.windows},
            {"export_bytes", need.host.exporting},
            {"peak_bytes", need.hostPeak},
            {"peak_phase", need.host.phase()}};
}

Json placeJson(const cases::PlaceNeed& need) {
    constexpr std::array<const char*, 3> kFits = {"yes", "no", "uncertain"};
    return {{"allocated_bytes", need.allocated},
            {"reserved_bytes", need.reserved.expected},
            {"reserved_range_bytes", {need.reserved.low, need.reserved.high}},
            {"fits", kFits.at(static_cast<std::size_t>(need.fits))},
            {"oom_probability", need.odds},
            {"out_of_memory", need.outOfMemory.empty() ? Json() : Json(need.outOfMemory)},
            {"host", hostJson(need)}};
}

Json caseJson(const cases::CasesRequest& request, const CaseNeed& need) {
    Json json = {{"name", need.name}, {"problem", need.problem.empty() ? Json() : Json(need.problem)}};
    json["warnings"] = need.warnings;
    if (!need.problem.empty()) {
        json["fits"] = nullptr;
        return json;
    }
    json["size"] = need.size.original;
    json["spacing_mm"] = need.size.spacing;
    json["resampled_size"] = need.size.resampled;
    json["padded_size"] = need.size.padded;
    json["resampled_spacing_mm"] = need.size.target;
    json["windows"] = need.size.windows;
    json["on_device"] = placeJson(need.onDevice);
    json["on_host"] = placeJson(need.onHost);
    json["way"] = cases::wayText(need.way);
    json["host_peak_bytes"] = need.hostPeak;
    json["fits_host"] = need.hostSuffices;
    json["fits"] = need.fits();
    json["what_helps"] = cases::whatHelps(request, need);
    return json;
}

}  // namespace

void printCases(const cases::CasesRequest& request, const cases::CasesAnswer& answer) {
    const cases::PlaceNeed* any = nullptr;
    std::vector<std::vector<std::string>> rows{
        {"case", "size", "resampled", "windows", "GPU", "GPU, logits on host", "host memory", "fits", ""}};
    std::map<std::string, std::vector<std::string>> helps;  // the cases by what helps them
    std::size_t fit = 0;
    for (const CaseNeed& need : answer.cases) {
        rows.push_back(rowOf(need));
        any = need.problem.empty() ? &need.onDevice : any;
        fit += need.fits() ? 1 : 0;
        for (const std::string& line : cases::whatHelps(request, need)) {
            helps[line].push_back(need.name);
        }
    }
    const predict::DeviceProfile& gpu = *request.target.gpu;
    printRow("network", fmt::format("{}: {} of weights, {} classes, spacing {:.4g} mm",
                                    base::oneLine(request.plan.network.experiment.name, 100),
                                    formatBytes(answer.weights), request.plan.heads,
                                    fmt::join(request.plan.spacing, " x ")));
    printRow("device", fmt::format("{} ({}), {}, less about {} for the CUDA context", gpu.name, gpu.id,
                                   formatBytes(gpu.memory), formatBytes(gpu.context.expected)));
    if (request.host > 0) {
        printRow("host", formatBytes(request.host));
    }
    printLines("\n" + table(std::move(rows), {3, 4, 5}));
    printText("\n{} of {} fit.\n", fit,
              base::counted(static_cast<std::int64_t>(answer.cases.size()), "case"));
    for (const auto& [line, names] : helps) {
        printText("{}: {}\n",
                  names.size() > 3 ? base::counted(static_cast<std::int64_t>(names.size()), "case")
                                   : fmt::format("{}", fmt::join(names, ", ")),
                  line);
    }
    for (const std::string& note : answer.notes) {
        printText("note: {}\n", note);
    }
}

Json casesJson(const cases::CasesRequest& request, const cases::CasesAnswer& answer) {
    Json json = {{"configuration", request.plan.configuration},
                 {"gpu", request.target.id},
                 {"capacity_bytes", request.target.memory},
                 {"host_bytes", request.host},
                 {"weights_bytes", answer.weights},
                 {"process_bytes", cases::kProcess},
                 {"classes", request.plan.heads}};
    json["cases"] = Json::array();
    for (const CaseNeed& need : answer.cases) {
        json["cases"].push_back(caseJson(request, need));
    }
    json["notes"] = answer.notes;
    return json;
}

}  // namespace highwater::cli
