#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/cudnn/plans.h"

namespace highwater::cudnn {

/// The plans that a cuDNN listed for a GPU, kept in a file between runs: a header line that names both, then
/// "QUESTION = PLANS" a line (planText()). A file with another header begins anew, as does one that has grown
/// beyond 16 MiB; lines that cannot be read are ignored. Several processes may add to it at the same time.
class PlanCache {
public:
    /// Reads the file. `header` is one line.
    PlanCache(std::filesystem::path file, std::string header);

    const std::vector<Plan>* find(const std::string& question) const;
    /// Adds the plans and writes their line to the file. A file that cannot be written is left as it is.
    void add(const std::string& question, std::vector<Plan> plans);
    std::size_t size() const { return plans_.size(); }

private:
    void begin() const;

    std::filesystem::path file_;
    std::string header_;
    std::unordered_map<std::string, std::vector<Plan>> plans_;
};

}  // namespace highwater::cudnn
