#include <algorithm>
#include <cstring>

#include "core/pretend/dnn.h"
#include "core/pretend/dnn_plans.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// cuDNN's backend API.
using namespace highwater::pretend;

namespace {

struct Handle {
    std::shared_ptr<Node> node;
};

Handle& handleOf(cudnnBackendDescriptor_t descriptor) {
    return *static_cast<Handle*>(descriptor);
}

void giveInteger(std::int64_t value, std::int64_t requested, std::int64_t* count, void* array) {
    *count = 1;
    if (requested > 0 && array) {
        std::memcpy(array, &value, sizeof value);
    }
}

// Assigns the nodes to the caller's own descriptors.
void giveNodes(const std::vector<std::shared_ptr<Node>>& nodes, std::int64_t requested, std::int64_t* count,
               void* array) {
    const auto given = static_cast<std::int64_t>(nodes.size());
    if (requested > 0 && array) {
        auto* targets = static_cast<cudnnBackendDescriptor_t*>(array);
        for (std::int64_t i = 0; i < std::min(requested, given); ++i) {
            if (targets[i]) {
                handleOf(targets[i]).node = nodes[i];
            }
        }
        *count = std::min(requested, given);
    } else {
        *count = given;
    }
}

void giveText(const std::string& text, std::int64_t requested, std::int64_t* count, void* array) {
    *count = static_cast<std::int64_t>(text.size()) + 1;
    if (array) {
        std::memcpy(array, text.c_str(), std::min(requested, *count));
    }
}

void giveKept(const Attribute& kept, std::int64_t requested, std::int64_t* count, void* array) {
    if (kept.type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        giveNodes(kept.nodes, requested, count, array);
        return;
    }
    *count = kept.count;
    if (array && requested > 0) {
        std::memcpy(array, kept.bytes.data(), std::min(requested, kept.count) * elementBytes(kept.type));
    }
}

std::int64_t heuristicsMode(const Node& heuristics) {
    const auto mode = heuristics.attributes.find(CUDNN_ATTR_ENGINEHEUR_MODE);
    int value = CUDNN_HEUR_MODE_INSTANT;
    if (mode != heuristics.attributes.end() && mode->second.bytes.size() >= sizeof value) {
        std::memcpy(&value, mode->second.bytes.data(), sizeof value);
    }
    return value;
}

std::int64_t workspaceOf(const Node& executionPlan) {
    const DnnPlan* plan = planOf(executionPlan);
    return plan ? static_cast<std::int64_t>(plan->workspace) : 0;
}

// Attributes that are not set but derived from others; false if they cannot be.
bool giveDerived(const Node& node, int attribute, std::int64_t requested, std::int64_t* count, void* array) {
    switch (attribute) {
        case CUDNN_ATTR_ENGINEHEUR_RESULTS:
            if (const auto graph = child(node, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH)) {
                giveNodes(engineConfigurations(graph, heuristicsMode(node)), requested, count, array);
                return true;
            }
            return false;
        case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
            giveInteger(operationOf(node)->plans.size(), requested, count, array);
            return true;
        case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:  // an int32; without it, fused attention accepts no
                                                       // engine
            *count = 1;
            if (requested > 0 && array) {
                std::memset(array, 0, sizeof(std::int32_t));
            }
            return true;
        case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
            giveInteger(workspaceOf(node), requested, count, array);
            return true;
        case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION:
            giveText("{\"pretended device\":\"nothing was executed\"}", requested, count, array);
            return true;
        default:
            return false;
    }
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
    *descriptor = new Handle{std::make_shared<Node>(Node{type, false, {}})};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    delete static_cast<Handle*>(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    Node& node = *handleOf(descriptor).node;
    // An engine that does not support this operation makes no plan.
    if (node.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && !planOf(node)) {
        return CUDNN_STATUS_NOT_SUPPORTED;
    }
    node.finalized = true;
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, std::int64_t count,
                                       const void* array) {
    if (count < 0 || (count > 0 && !array)) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    Attribute kept{type, count, {}, {}};
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        const auto* handles = static_cast<const cudnnBackendDescriptor_t*>(array);
        for (std::int64_t i = 0; i < count; ++i) {
            kept.nodes.push_back(handles[i] ? handleOf(handles[i]).node : nullptr);
        }
    } else {
        const auto* begin = static_cast<const char*>(array);
        kept.bytes.assign(begin, begin + count * elementBytes(type));
    }
    handleOf(descriptor).node->attributes[name] = std::move(kept);
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor,
                                       cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t,
                                       std::int64_t requested, std::int64_t* count, void* array) {
    const std::shared_ptr<Node> node = handleOf(descriptor).node;
    std::int64_t ignored = 0;
    count = count ? count : &ignored;
    *count = 0;
    const auto kept = node->attributes.find(name);
    if (kept != node->attributes.end()) {
        giveKept(kept->second, requested, count, array);
    } else if (!giveDerived(*node, name, requested, count, array)) {
        note("cuDNN's attribute " + std::to_string(name) + " of a descriptor of type " +
             std::to_string(node->type) + " is not modeled: it has no values");
    }
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t) {
    const Node& node = *handleOf(plan).node;
    const auto operation = planRan(node);
    if (!operation) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    trace("cudnn-workspace", static_cast<std::size_t>(workspaceOf(node)),
          operation->text.empty() ? operation->name : operation->name + " " + operation->text);
    return dnnLaunch(operation->name.c_str());
}

}  // extern "C"
