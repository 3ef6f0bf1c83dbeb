#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/program.h"

namespace highwater::e2e {

/// Python programs that need torch, run by python_server.py, which imports it once.
class PythonPrograms {
public:
    /// Empty if this Python has no torch (or no numpy) of that version.
    static std::unique_ptr<PythonPrograms> start(const std::string& python, const std::string& torchVersion);
    PythonPrograms(const PythonPrograms&) = delete;
    PythonPrograms& operator=(const PythonPrograms&) = delete;
    ~PythonPrograms();

    const std::string& python() const { return python_; }
    /// A program and its arguments; its output goes through files of `folder`.
    Finished run(const std::vector<std::string>& words, const std::filesystem::path& folder);

private:
    PythonPrograms() = default;
    std::string line();  ///< the server's next line; empty if it has ended
    std::string python_;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
    int pid_ = -1;
};

}  // namespace highwater::e2e
