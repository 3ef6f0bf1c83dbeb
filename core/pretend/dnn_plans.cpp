#include "core/pretend/dnn_plans.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "core/pretend/asker.h"
#include "core/pretend/report.h"
#include "core/pretend/settings.h"
#include "core/pretend/told_plans.h"
#include "core/pretend/work.h"
#include "core/pretend/workspace_rules.h"

namespace highwater::pretend {
namespace {

struct Operations {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<DnnOperation>> all;  // by question
    std::map<const DnnOperation*, std::set<const DnnPlan*>> ran;
    std::uint64_t largest = 0;
};

Operations& operations() {
    static Operations& operations = *new Operations;
    return operations;
}

std::string_view takeUntil(std::string_view& text, char end) {
    const std::string_view part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

template <typename Number>
bool readNumber(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

bool readPlan(std::string_view text, DnnPlan& plan) {
    const std::string_view engine = takeUntil(text, ':');
    const std::string_view bytes = takeUntil(text, ':');
    const std::string_view which = takeUntil(text, ':');
    plan.fallback = which == "f";
    bool good = readNumber(engine, plan.engine) && readNumber(bytes, plan.workspace) &&
                (which == "f" || which == "h");
    while (good && !text.empty()) {
        good = readNumber(takeUntil(text, ','), plan.notes.emplace_back());
    }
    return good;
}

// Parses highwater-cudnn's answer, "SOURCE PLANS"; false if there is none, or it is not an answer.
bool readAnswer(const std::string& answer, DnnOperation& operation) {
    std::string_view rest = answer;
    const std::string_view word = takeUntil(rest, ' ');
    const auto source = word == "asked"    ? PlanSource::Asked
                        : word == "cached" ? PlanSource::Cached
                        : word == "table"  ? PlanSource::Table
                                           : PlanSource::Guessed;
    if ((source == PlanSource::Guessed && word != "guessed") ||
        !readPlans(std::string(rest), operation.plans) || operation.plans.empty()) {
        operation.plans.clear();
        return false;
    }
    operation.asked = true;
    reportPlans(source);
    return true;
}

void addRules(const std::vector<std::uint64_t>& sizes, DnnOperation& operation) {
    for (const std::uint64_t bytes : sizes) {
        operation.plans.push_back({static_cast<std::int64_t>(operation.plans.size()), bytes, false, {}});
    }
}

std::shared_ptr<DnnOperation> makeOperation(const Node& graph, const ConvolutionNodes& convolution) {
    auto operation = std::make_shared<DnnOperation>(DnnOperation{
        "cudnn-" + operationName(graph), convolution ? operationText(convolution) : "", {}, false});
    if (!convolution) {
        addRules({0}, *operation);
        return operation;
    }
    if (!settings().asked.empty() && readAnswer(askCudnn(questionText(convolution)), *operation)) {
        return operation;
    }
    reportPlans(PlanSource::Guessed);
    if (const auto told = toldWorkspace(operationText(convolution))) {
        addRules({*told}, *operation);
    } else {
        addRules(workspaces(convolution.rule,
                            {bytesOf(*convolution.x), bytesOf(*convolution.w), bytesOf(*convolution.y)}),
                 *operation);
    }
    return operation;
}

Attribute valuesAttribute(cudnnBackendAttributeType_t type, const void* values, std::size_t count) {
    const auto* begin = static_cast<const char*>(values);
    return {type, static_cast<std::int64_t>(count), {begin, begin + count * elementBytes(type)}, {}};
}

Attribute nodeAttribute(const std::shared_ptr<Node>& node) {
    return {CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {node}};
}

std::shared_ptr<Node> configuration(const std::shared_ptr<Node>& graph,
                                    const std::shared_ptr<DnnOperation>& operation, std::size_t index) {
    const DnnPlan& plan = operation->plans[index];
    auto engine = std::make_shared<Node>(Node{CUDNN_BACKEND_ENGINE_DESCRIPTOR, true, {}});
    engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = nodeAttribute(graph);
    engine->attributes[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] = valuesAttribute(CUDNN_TYPE_INT64, &plan.engine, 1);
    engine->attributes[CUDNN_ATTR_ENGINE_NUMERICAL_NOTE] =
        valuesAttribute(CUDNN_TYPE_NUMERICAL_NOTE, plan.notes.data(), plan.notes.size());
    auto one = std::make_shared<Node>(Node{CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, true, {}, operation, index});
    one->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = nodeAttribute(engine);
    return one;
}

std::pair<std::shared_ptr<DnnOperation>, const DnnPlan*> find(const Node& executionPlan) {
    const auto config = child(executionPlan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    if (config && config->operation) {
        return {config->operation, &config->operation->plans[config->plan]};
    }
    const auto engine = config ? child(*config, CUDNN_ATTR_ENGINECFG_ENGINE) : nullptr;
    const auto graph = engine ? child(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH) : nullptr;
    if (!graph) {
        return {};
    }
    auto operation = operationOf(*graph);
    const auto number = integers(*engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
    const auto at = std::find_if(operation->plans.begin(), operation->plans.end(), [&](const DnnPlan& plan) {
        return plan.engine == (number.empty() ? 0 : number[0]);
    });
    const DnnPlan* plan = at == operation->plans.end() ? nullptr : &*at;
    return {std::move(operation), plan};
}

}  // namespace

bool readPlans(const std::string& text, std::vector<DnnPlan>& plans) {
    std::string_view rest = text;
    while (!rest.empty()) {
        if (!readPlan(takeUntil(rest, ' '), plans.emplace_back())) {
            return false;
        }
    }
    return true;
}

std::shared_ptr<DnnOperation> operationOf(const Node& graph) {
    const ConvolutionNodes convolution = convolutionOf(graph);
    const std::string name = convolution ? operationText(convolution) + " " +
                                               std::to_string(static_cast<int>(typeOf(*convolution.x)))
                                         : operationName(graph);
    Operations& o = operations();
    {
        const std::lock_guard lock(o.mutex);
        if (const auto found = o.all.find(name); found != o.all.end()) {
            return found->second;
        }
    }
    auto made = makeOperation(graph, convolution);
    const std::lock_guard lock(o.mutex);
    return o.all.try_emplace(name, std::move(made)).first->second;
}

std::vector<std::shared_ptr<Node>> engineConfigurations(const std::shared_ptr<Node>& graph,
                                                        std::int64_t mode) {
    const auto operation = operationOf(*graph);
    std::vector<std::shared_ptr<Node>> configurations;
    for (std::size_t i = 0; i < operation->plans.size(); ++i) {
        if (!operation->asked || operation->plans[i].fallback == (mode == CUDNN_HEUR_MODE_FALLBACK)) {
            configurations.push_back(configuration(graph, operation, i));
        }
    }
    return configurations;
}

const DnnPlan* planOf(const Node& executionPlan) {
    return find(executionPlan).second;
}

std::shared_ptr<const DnnOperation> planRan(const Node& executionPlan) {
    const auto [operation, plan] = find(executionPlan);
    if (!operation || !plan) {
        return operation;
    }
    passTime(settings().winner, plan->workspace);
    Operations& o = operations();
    const std::lock_guard lock(o.mutex);
    auto& ran = o.ran[operation.get()];
    if (!ran.insert(plan).second) {
        return operation;
    }
    if (plan->workspace > o.largest) {
        o.largest = plan->workspace;
        reportLargest(plan->workspace);
    }
    if (ran.size() > 1) {
        const auto [least, most] = std::minmax_element(
            ran.begin(), ran.end(),
            [](const DnnPlan* a, const DnnPlan* b) { return a->workspace < b->workspace; });
        reportTimed(operation.get(), (*least)->workspace, (*most)->workspace);
    }
    return operation;
}

}  // namespace highwater::pretend
