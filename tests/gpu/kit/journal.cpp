#include "tests/gpu/kit/journal.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace highwater::kit {

void Journal::add(const Json& line) const {
    std::ofstream out(path_, std::ios::app);
    out << line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n' << std::flush;
    if (!out) {
        throw std::runtime_error(path_.string() + ": cannot be written");
    }
}

std::vector<Json> Journal::read() const {
    std::vector<Json> lines;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) {
        Json parsed = Json::parse(line, nullptr, false);
        if (parsed.is_object()) {
            lines.push_back(std::move(parsed));
        }
    }
    return lines;
}

}  // namespace highwater::kit
