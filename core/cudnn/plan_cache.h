#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/cudnn/plans.h"

namespace highwater::cudnn {

/// Caches the plans that a cuDNN version listed for a GPU in a file between runs: a header line that names
/// both, then one "QUESTION = PLANS" per line (planText()). A file with another header, or larger than 16
/// MiB, is started anew; lines that cannot be read are ignored. Several processes may append at the same
/// time.
class PlanCache {
public:
    /// Reads the file. `header` is one line.
    PlanCache(std::filesystem::path file, std::string header);

    const std::vector<Plan>* find(const std::string& question) const;
    /// Adds the plans and appends their line to the file. A failed write is ignored.
    void add(const std::string& question, std::vector<Plan> plans);
    std::size_t size() const { return plans_.size(); }

private:
    void begin() const;

    std::filesystem::path file_;
    std::string header_;
    std::unordered_map<std::string, std::vector<Plan>> plans_;
};

}  // namespace highwater::cudnn
