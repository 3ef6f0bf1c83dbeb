#pragma once

#include <string>

// Asks the process highwater-cudnn, which HIGHWATER_PRETEND_ASK names, about a convolution: it answers with
// the plans that the user's own cuDNN would list for the GPU. It is started at the first question, without
// the preloaded libraries, and ends with this process. A forked child starts its own.
namespace highwater::pretend {

// The answer to a question (questionText() in dnn_graph.h): one line "SOURCE PLANS", where the source is
// asked, cached, table or guessed, and the plans are in the format of readPlans() in dnn_plans.h. Empty if
// there is none: no question, no such program, or no answer within HIGHWATER_PRETEND_PATIENCE seconds (four
// times as long for the first, which loads cuDNN); the reason is printed once. If the program dies, it is
// restarted, up to four times in all.
std::string askCudnn(const std::string& question);

}  // namespace highwater::pretend
