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

/// Asks the user's cuDNN what it would do on a GPU that is not there. cuDNN is loaded by a program of its
/// own, highwater-cudnn, so that it can neither crash nor stall the one that asks, and so that nothing
/// depends on it.
namespace highwater::ask {

struct Request {
    std::filesystem::path library;       ///< the folder of libcudnn.so.9; empty: where the loader finds it
    predict::AskedKey key;               ///< the version that must answer, and the device
    std::vector<std::string> questions;  ///< predict::questionName(), each once
    std::chrono::milliseconds patience{15000};  ///< for one answer; the first one includes loading cuDNN
    const std::atomic<bool>* cancel = nullptr;  ///< ends the asking; the answers so far are returned
    std::function<void(std::size_t)> progress;  ///< how many have been answered
};

struct Answers {
    predict::AskedTable table;
    /// Why questions are still open, one line; empty if none is: cuDNN refused, died or hung over them.
    std::string open;
};

/// Asks all questions, in order. A question over which cuDNN dies or is silent for longer than `patience`
/// stays open; the process is started anew for those after it, 3 times at most. About 10 ms a question.
/// Errors, one line: cuDNN cannot be loaded, is older than 9.8 or of another version than asked for, or does
/// not know the device's architecture; highwater-cudnn is missing.
base::Result<Answers> ask(const Request& request);

struct Asking {
    std::filesystem::path library;  ///< as Request::library
    std::set<std::string>* tried =
        nullptr;  ///< questions that are not asked again; those asked now are added
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(std::size_t done, std::size_t of)> progress;
};
/// Asks what a prediction leaves open, and keeps the answers in the user's own table (predict::askedFolders).
/// If nothing is open, or `key` describes no device, nothing is started and the answers are empty. Errors as
/// ask().
base::Result<Answers> askWhatIsOpen(const predict::AskedKey& key, const predict::Prediction& prediction,
                                    const Asking& asking);

/// The distinct questions that a prediction leaves open.
std::vector<std::string> openQuestions(const predict::Prediction& prediction);

}  // namespace highwater::ask
