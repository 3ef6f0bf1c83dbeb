#include "core/pretend/told_plans.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "core/pretend/settings.h"

namespace highwater::pretend {

std::optional<std::uint64_t> toldWorkspace(const std::string& operation) {
    static std::mutex mutex;
    static std::map<std::string, std::uint64_t> told;
    static std::uintmax_t readSize = 0;
    const std::string& file = settings().plans;
    if (file.empty()) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex);
    std::error_code none;
    if (const auto size = std::filesystem::file_size(file, none); !none && size != readSize) {
        readSize = size;
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);) {
            if (const auto equals = line.find(" = "); equals != std::string::npos) {
                told[line.substr(0, equals)] = std::strtoull(line.c_str() + equals + 3, nullptr, 10);
            }
        }
    }
    const auto found = told.find(operation);
    if (found == told.end()) {
        sayOnce("no workspace was told for " + operation + "; 0 is used");
        return std::nullopt;
    }
    return found->second;
}

}  // namespace highwater::pretend
