#include "core/cudnn/plan_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/cudnn/plan_text.h"

namespace highwater::cudnn {
namespace {

constexpr base::Bytes kMostBytes = 16 * base::kMiB;
constexpr std::string_view kBetween = " = ";

}  // namespace

PlanCache::PlanCache(std::filesystem::path file, std::string header)
    : file_(std::move(file)), header_(std::move(header)) {
    const auto text = base::readFile(file_, kMostBytes);
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    if (!rest.starts_with(header_ + "\n")) {
        begin();
        return;
    }
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::size_t at = line.find(kBetween);
        auto plans =
            at == std::string_view::npos ? std::nullopt : parsePlans(line.substr(at + kBetween.size()));
        if (plans) {
            plans_.insert_or_assign(std::string(line.substr(0, at)), std::move(*plans));
        }
    }
}

const std::vector<Plan>* PlanCache::find(const std::string& question) const {
    const auto at = plans_.find(question);
    return at == plans_.end() ? nullptr : &at->second;
}

void PlanCache::begin() const {
    std::error_code failed;
    std::filesystem::create_directories(file_.parent_path(), failed);
    if (!failed) {
        static_cast<void>(base::writeFileAtomically(file_, header_ + "\n"));  // if this fails, nothing is
                                                                              // stored
    }
}

void PlanCache::add(const std::string& question, std::vector<Plan> plans) {
    // A single append, so that lines of several processes do not mix.
    const std::string line = question + std::string(kBetween) + planText(plans) + "\n";
    if (const auto file = base::openRegular(file_, O_WRONLY | O_APPEND)) {
        static_cast<void>(::write(file->get(), line.data(), line.size()) < 0);
    }
    plans_.insert_or_assign(question, std::move(plans));
}

}  // namespace highwater::cudnn
