#pragma once

#include <string>

// The process highwater-cudnn, which HIGHWATER_PRETEND_ASK names: asked about a convolution, it answers with
// the plans that the user's own cuDNN would list for the GPU. It is started at the first question, without
// what is preloaded here, and ends when this process does. A forked child starts one of its own.
namespace highwater::pretend {

// The answer to a question (questionText() in dnn_graph.h): one line "SOURCE PLANS", where the source is
// asked, cached, table or guessed, and the plans are as readPlans() in dnn_plans.h reads them. Empty where
// there is none: no question, no such program, or no answer within HIGHWATER_PRETEND_PATIENCE seconds (four
// times as long for the first, which loads cuDNN); the reason is said once. After a death the program is
// started again, up to four times in all.
std::string askCudnn(const std::string& question);

}  // namespace highwater::pretend
