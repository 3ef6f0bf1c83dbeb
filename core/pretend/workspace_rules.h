#pragma once

#include <cstdint>
#include <string>
#include <vector>

// What the pretended cuDNN answers when a workspace size is asked: no fact about cuDNN, but a rule that the
// user states in HIGHWATER_PRETEND_WORKSPACE, such as
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

// One workspace size an engine, never empty. A rule that cannot be read counts as none, with a line on
// stderr.
std::vector<std::uint64_t> workspaces(const std::string& name, const OperandBytes& operands);

// The same for the rules of a text of your own.
std::vector<std::uint64_t> workspaces(const std::string& rules, const std::string& name,
                                      const OperandBytes& operands);

}  // namespace highwater::pretend
