#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/pretend/dnn_graph.h"

// The plans that the pretended cuDNN offers for an operation. Their sources, in this order:
// - highwater-cudnn, if HIGHWATER_PRETEND_ASK names it (asker.h): all that the installed cuDNN would list,
// - the file HIGHWATER_PRETEND_PLANS (told_plans.h): one plan,
// - the rules of HIGHWATER_PRETEND_WORKSPACE (workspace_rules.h), whose alternatives are the plans.
namespace highwater::pretend {

struct DnnPlan {
    std::int64_t engine = 0;
    std::uint64_t workspace = 0;  // bytes
    bool fallback = false;        // from the list that is used when nothing else works
    std::vector<int> notes;       // cudnnBackendNumericalNote_t
};

struct DnnOperation {
    std::string name;  // "cudnn-convolution-forward"
    std::string text;  // operationText(); empty if it is not a convolution
    std::vector<DnnPlan> plans;
    bool asked = false;  // answered by cuDNN: its two lists differ
};

// The operation of a graph. Graphs with the same question share it.
std::shared_ptr<DnnOperation> operationOf(const Node& graph);

// One engine configuration for each plan in the list that `mode` (cudnnBackendHeurMode_t) selects.
std::vector<std::shared_ptr<Node>> engineConfigurations(const std::shared_ptr<Node>& graph,
                                                        std::int64_t mode);

// The plan of an execution plan's configuration: from the heuristics, or created by LibTorch from an engine's
// number. Null if the operation has no plan with this number.
const DnnPlan* planOf(const Node& executionPlan);

// Records that an execution plan ran, and returns its operation.
std::shared_ptr<const DnnOperation> planRan(const Node& executionPlan);

// Parses plans in highwater-cudnn's format: "ENGINE:BYTES:h:NOTE,NOTE" with f instead of h for those of the
// fallback list, separated by spaces. False if the text is anything else.
bool readPlans(const std::string& text, std::vector<DnnPlan>& plans);

}  // namespace highwater::pretend
