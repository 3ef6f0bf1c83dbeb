#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/predict/predict.h"

/// Asks the user's cuDNN what it would do on a GPU that is not present. A separate program, highwater-cudnn,
/// loads cuDNN, so that cuDNN can neither crash nor stall the caller, and nothing links against it.
namespace highwater::ask {

struct Request {
    std::filesystem::path library;       ///< the folder of libcudnn.so.9; empty: wherever the loader finds it
    predict::AskedKey key;               ///< the device, and the cuDNN version that must answer
    std::vector<std::string> questions;  ///< predict::questionName(), each once
    std::chrono::milliseconds patience{15000};  ///< time limit for one answer; the first one includes loading
                                                ///< cuDNN
    const std::atomic<bool>* cancel = nullptr;  ///< stops asking; the answers so far are returned
    std::function<void(std::size_t)> progress;  ///< called with the number of answers so far
};

struct Answers {
    predict::AskedTable table;
    /// Why questions are still open, in one line: cuDNN refused, died or hung. Empty if none are open.
    std::string open;
};

/// Asks all questions, in order. A question at which cuDNN dies, or is silent for longer than `patience`,
/// stays open; the process is restarted for the remaining ones, at most 3 times. About 10 ms a question.
/// Errors, one line: cuDNN cannot be loaded, is older than 9.8 or not the requested version, or does not know
/// the device's architecture; highwater-cudnn is missing.
base::Result<Answers> ask(const Request& request);

struct Asking {
    std::filesystem::path library;  ///< as Request::library
    std::set<std::string>* tried =
        nullptr;  ///< questions that are not asked again; newly asked ones are added
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(std::size_t done, std::size_t of)> progress;
};
/// Asks the questions that a prediction leaves open, and stores the answers in the user's own table
/// (predict::askedFolders). If nothing is open, or `key` describes no device, nothing is started and the
/// answers are empty. Errors as ask().
base::Result<Answers> askWhatIsOpen(const predict::AskedKey& key, const predict::Prediction& prediction,
                                    const Asking& asking);

/// The distinct questions that a prediction leaves open.
std::vector<std::string> openQuestions(const predict::Prediction& prediction);

}  // namespace highwater::ask
