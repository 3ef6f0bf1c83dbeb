#include "tests/gpu/convolutions/workspaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace highwater::engine {

namespace {

using Addresses = std::array<const void*, 3>;
constexpr std::size_t kParts = 3;

/// The log index at which each result was allocated: the last entry with its address; log.size() if none.
std::array<std::size_t, kParts> madeAt(std::span<const LoggedAllocation> log, const Addresses& results) {
    std::array<std::size_t, kParts> made{};
    for (std::size_t r = 0; r < kParts; ++r) {
        made[r] = log.size();
        for (std::size_t i = log.size(); results[r] != nullptr && made[r] == log.size() && i-- > 0;) {
            if (log[i].address == results[r] && log[i].bytes > 0) {
                made[r] = i;
            }
        }
    }
    return made;
}

/// Tracks the bytes that each part holds, and their maximum.
class Parts {
public:
    /// `copied`: the size of the copy that a strided gradient needs, of which there is one at a time; 0:
    /// none.
    explicit Parts(base::Bytes copied) : copied_(copied) {}

    void takes(const LoggedAllocation& entry) {
        const bool copy = entry.bytes == copied_ && copy_ == nullptr;
        if (copy) {
            copy_ = entry.address;
        }
        const auto part = copy ? std::nullopt : part_;
        alive_[entry.address] = {entry.bytes, part};
        if (part) {
            highest_[*part] = std::max(highest_[*part], now_[*part] += entry.bytes);
        }
    }
    void gives(const LoggedAllocation& entry) {
        const auto at = alive_.find(entry.address);
        if (at == alive_.end()) {
            return;
        }
        if (entry.address == copy_) {
            copy_ = nullptr;
        }
        if (at->second.second) {
            now_[*at->second.second] -= at->second.first;
        }
        alive_.erase(at);
    }
    void begin(std::size_t part) { part_ = part; }
    bool anyAlive() const { return !alive_.empty(); }
    base::Bytes highest(std::size_t part) const { return highest_[part]; }

private:
    std::map<const void*, std::pair<base::Bytes, std::optional<std::size_t>>> alive_;
    std::optional<std::size_t> part_;  // the part whose result was allocated last
    std::array<base::Bytes, kParts> now_{}, highest_{};
    base::Bytes copied_;
    const void* copy_ = nullptr;  // the live copy, or null
};

}  // namespace

base::Result<predict::GpuOpRow> workspacesOf(const predict::ConvKey& op,
                                             std::span<const LoggedAllocation> log,
                                             const Addresses& results) {
    const auto made = madeAt(log, results);
    for (std::size_t r = 0; r < kParts; ++r) {
        if (results[r] != nullptr && made[r] == log.size()) {
            return base::Error{fmt::format("result {} shares its memory with another tensor", r)};
        }
    }
    const bool copies = op.pass == predict::ConvKey::Pass::Backward && !op.gradientContiguous;
    Parts parts(copies ? op.outputElements() * predict::sizeOf(op.dtype) : 0);
    for (std::size_t i = 0; i < log.size(); ++i) {
        const auto result = std::find(made.begin(), made.end(), i);
        if (result != made.end()) {
            parts.begin(static_cast<std::size_t>(result - made.begin()));
        } else if (log[i].bytes > 0) {
            parts.takes(log[i]);
        } else {
            parts.gives(log[i]);
        }
    }
    if (parts.anyAlive()) {
        return base::Error{"something that it allocates outlives it"};
    }
    predict::GpuOpRow row;
    if (op.pass == predict::ConvKey::Pass::Forward) {
        row.forward = parts.highest(0);
    }
    if (op.inputGradient) {
        row.inputGradient = parts.highest(0);
    }
    if (op.weightGradient) {
        row.weightGradient = parts.highest(1);
    }
    return row;
}

}  // namespace highwater::engine
