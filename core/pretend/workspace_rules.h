#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The workspace sizes that the pretended cuDNN reports: not a property of cuDNN, but a rule that the user
// sets in HIGHWATER_PRETEND_WORKSPACE, such as
//     forward=2*x+1048576|0,input=w,weight=0.5*y,reserve=4096
// Names: forward, input and weight (the convolution's three), norm_forward, norm_backward and reserve (batch
// normalization). A rule is a sum of terms NUMBER, x, w, y, NUMBER*x ...: bytes of input, weight and output.
// Alternatives with | are the engines that the heuristics offer, the first one first. No rule is 0 bytes.
namespace highwater::pretend {

struct OperandBytes {
    double x = 0;
    double w = 0;
    double y = 0;
};

// One workspace size per engine, never empty. An invalid rule is ignored, with a line on stderr.
std::vector<std::uint64_t> workspaces(const std::string& name, const OperandBytes& operands);

// The same for rules given as text.
std::vector<std::uint64_t> workspaces(const std::string& rules, const std::string& name,
                                      const OperandBytes& operands);

}  // namespace highwater::pretend
