#include "core/cudnn/run_answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/cudnn/plan_text.h"
#include "core/predict/tables/asked_table.h"
#include "core/predict/workspaces/workspace_rule.h"

namespace highwater::cudnn {
namespace {

using base::Bytes;
using base::Error;
using base::Json;
using base::Result;
using predict::AskedPlans;
using predict::ConvPart;
using predict::GpuConvolution;

PlanCache cacheOf(const RunSetup& setup) {
    const auto key = predict::askedKey(setup.gpu, setup.version);
    const auto described = base::parseJson(key.described, "device");
    const Json head{{"schema", "highwater.asked-plans/1"},
                    {"cudnn", key.cudnn},
                    {"cuda", setup.cuda},
                    {"device", key.device},
                    {"described", described ? *described : Json::object()}};
    return {predict::askedFolders().front() /
                fmt::format("plans-{}_cuda{}_{}.txt", key.cudnn, setup.cuda, key.device),
            base::jsonText(head)};
}

/// A list with these workspaces, in which `benchmark` times ten plans: the first and, within the first ten,
/// the smallest and largest of those that may be timed; then the smallest and largest of all.
std::vector<Plan> plansWith(const AskedPlans& known, bool tensorCores) {
    constexpr std::size_t kTimed = 10;
    std::vector<Bytes> workspaces{known.first, known.timedLeast, known.timedMost};
    workspaces.resize(kTimed, known.first);
    workspaces.insert(workspaces.end(), {known.least, known.most});
    std::vector<Plan> plans;
    for (const Bytes bytes : workspaces) {
        Plan plan;
        plan.engine = static_cast<std::int64_t>(plans.size());
        plan.workspace = bytes;
        if (tensorCores) {
            plan.notes.push_back(api::Note::TensorCore);
        }
        plans.push_back(std::move(plan));
    }
    return plans;
}

bool onTensorCores(const Plan& plan) {
    return std::ranges::find(plan.notes, api::Note::TensorCore) != plan.notes.end();
}

/// Inserts the plans that cuDNN lists only with a device present: one before the first plan with TF32, one
/// before the first without.
std::vector<Plan> withUnlisted(std::vector<Plan> plans, const GpuConvolution& convolution, ConvPart part,
                               int architecture) {
    constexpr std::int64_t kUnlisted = -1;
    const bool isFloat = convolution.op.dtype == predict::DType::Float32;
    GpuConvolution each = convolution;
    for (const bool tf32 : {true, false}) {
        each.switches.tf32 = tf32 && convolution.switches.tf32;
        const auto first = std::ranges::find_if(
            plans, [&](const Plan& plan) { return tf32 || !isFloat || !onTensorCores(plan); });
        if (tf32 != (isFloat && each.switches.tf32) || first == plans.end()) {
            continue;
        }
        if (const auto bytes = predict::workspaceOnDevice(each, part, architecture, first->workspace)) {
            Plan plan{kUnlisted, *bytes, false, {}};
            if (each.switches.tf32) {
                plan.notes.push_back(api::Note::TensorCore);
            }
            plans.insert(first, std::move(plan));
        }
    }
    return plans;
}

}  // namespace

Result<std::pair<GpuConvolution, ConvPart>> parseQuestion(std::string_view question) {
    const std::size_t space = question.find(' ');
    const auto op = HIGHWATER_TRY(predict::parseConvKey(question.substr(0, space)));
    const auto switches = predict::parseGpuSwitches(
        space == std::string_view::npos ? std::string_view() : question.substr(space + 1));
    if (!switches) {
        return Error{fmt::format("\"{}\" names no switches", base::oneLine(question, 200))};
    }
    for (const ConvPart part : predict::kConvParts) {
        if (predict::hasPart(op, part)) {
            return std::pair(GpuConvolution{op, *switches}, part);
        }
    }
    return Error{fmt::format("\"{}\" asks for no part of a convolution", base::oneLine(question, 200))};
}

RunAnswers::RunAnswers(RunSetup setup)
    : setup_(std::move(setup)),
      cache_(cacheOf(setup_)),
      table_(
          predict::loadAskedTable(predict::askedKey(setup_.gpu, setup_.version), predict::askedFolders())) {}

const Asked* RunAnswers::asked() {
    if (std::exchange(tried_, true)) {
        return asked_ ? &*asked_ : nullptr;
    }
    auto library = Library::load(setup_.library);
    if (!library) {
        remark_ = library.error().message;
        return nullptr;
    }
    if (library->version() != setup_.version) {
        remark_ = fmt::format("cuDNN {} is installed, which cannot be asked about {}",
                              predict::toText(library->version()), predict::toText(setup_.version));
        return nullptr;
    }
    library_ = std::move(*library);
    auto device = Asked::make(*library_, predict::deviceForCudnn(setup_.gpu));
    if (!device) {
        remark_ = device.error().message;
        return nullptr;
    }
    asked_ = std::move(*device);
    return &*asked_;
}

std::optional<std::vector<Plan>> RunAnswers::ask(const GpuConvolution& convolution, ConvPart part) {
    const Asked* const device = asked();
    auto plans = device ? device->plansOf(convolution, part) : Result<std::vector<Plan>>(std::vector<Plan>());
    return plans && !plans->empty() ? std::optional(std::move(*plans)) : std::nullopt;
}

Result<std::string> RunAnswers::answer(const std::string& question) {
    const auto parsed = HIGHWATER_TRY(parseQuestion(question));
    const auto& [convolution, part] = parsed;
    if (const auto* const kept = cache_.find(question)) {
        return "cached " + planText(withUnlisted(*kept, convolution, part, setup_.gpu.architecture));
    }
    if (auto plans = ask(convolution, part)) {
        cache_.add(question, *plans);
        return "asked " +
               planText(withUnlisted(std::move(*plans), convolution, part, setup_.gpu.architecture));
    }
    // Both lists are given, because without TF32 the run leaves out plans that need tensor cores.
    const char* source = "table";
    std::vector<Plan> plans;
    for (const bool tf32 : {true, false}) {
        if (tf32 && !convolution.switches.tf32) {
            continue;
        }
        GpuConvolution each = convolution;
        each.switches.tf32 = tf32;
        AskedPlans known;
        if (const auto* const row = table_.find(predict::questionName(each, part)); row && *row) {
            known = **row;
        } else {
            source = "guessed";
            const auto ruled = predict::ruledWorkspace(
                each, part,
                {memory::TorchVersion(predict::kDefaultTorch), setup_.version, setup_.gpu.architecture});
            known = {ruled.runs, 0, 0, ruled.runs, ruled.most};  // one without a workspace may be the fastest
        }
        std::ranges::move(plansWith(known, tf32), std::back_inserter(plans));
    }
    return fmt::format("{} {}", source, planText(plans));
}

}  // namespace highwater::cudnn
