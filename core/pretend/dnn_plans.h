#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/pretend/dnn_graph.h"

// The plans that the pretended cuDNN offers for an operation. They come from, in this order,
// - highwater-cudnn, where HIGHWATER_PRETEND_ASK names it (asker.h): all that the installed cuDNN would list,
// - the file HIGHWATER_PRETEND_PLANS (told_plans.h): one plan,
// - the rules of HIGHWATER_PRETEND_WORKSPACE (workspace_rules.h), whose alternatives are the plans.
namespace highwater::pretend {

struct DnnPlan {
    std::int64_t engine = 0;
    std::uint64_t workspace = 0;  // bytes
    bool fallback = false;        // of the list that is asked for when nothing else works
    std::vector<int> notes;       // cudnnBackendNumericalNote_t
};

struct DnnOperation {
    std::string name;  // "cudnn-convolution-forward"
    std::string text;  // operationText(); empty for what is no convolution
    std::vector<DnnPlan> plans;
    bool asked = false;  // of cuDNN: its two lists differ
};

// The operation of a graph. Graphs that ask cuDNN the same have the same one.
std::shared_ptr<DnnOperation> operationOf(const Node& graph);

// One engine configuration for each plan of the list that `mode` (cudnnBackendHeurMode_t) asks for.
std::vector<std::shared_ptr<Node>> engineConfigurations(const std::shared_ptr<Node>& graph,
                                                        std::int64_t mode);

// The plan of an execution plan's configuration: one that the heuristics gave, or one that LibTorch made from
// an engine's number. Null where the operation has none with this number.
const DnnPlan* planOf(const Node& executionPlan);

// Notes that an execution plan ran, and returns its operation.
std::shared_ptr<const DnnOperation> planRan(const Node& executionPlan);

// Plans as highwater-cudnn writes them: "ENGINE:BYTES:h:NOTE,NOTE" with f instead of h for those of the
// fallback list, separated by spaces. False where the text is anything else.
bool readPlans(const std::string& text, std::vector<DnnPlan>& plans);

}  // namespace highwater::pretend
