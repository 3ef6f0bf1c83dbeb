#include "core/engine/books/device_books.h"

#include <algorithm>
#include <array>

#include "core/memory/allocator_rules.h"

namespace highwater::engine {

using Kind = memory::DeviceEvent::Kind;

bool isConvolution(std::string_view op) {
    // cudnn_convolution_backward_* are functions, not operators: their allocations belong to
    // convolution_backward.
    constexpr std::array<std::string_view, 4> kOperators = {
        "aten::cudnn_convolution", "aten::cudnn_convolution_transpose", "aten::cudnn_convolution_add_relu",
        "aten::convolution_backward"};
    return std::find(kOperators.begin(), kOperators.end(), op) != kOperators.end();
}

void DeviceBooks::expect(std::vector<ResultSizes> results) {
    const std::lock_guard lock(mutex_);
    results_ = std::move(results);
}

void DeviceBooks::start(const memory::AllocatorConfig& config) {
    const std::lock_guard lock(mutex_);
    results_.clear();
    config_ = config;
    segments_.configure(config);
    workspaces_.clear();
    atPeak_ = segments_.totals();
    atRefusal_.reset();
    peak_ = -1;
    refused_ = 0;
}

void DeviceBooks::took(const memory::DeviceEvent& event, const char* op, Bytes gemmWorkspace) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        const auto block = segments_.take(event);
        switch (event.kind) {
            case Kind::Allocate:
                allocated(event, block ? block->size : event.bytes, op, gemmWorkspace);
                break;
            case Kind::FreeRequested:
                freed(static_cast<std::uintptr_t>(event.address));
                break;
            case Kind::OutOfMemory:
                refused(event.bytes, op);
                break;
            default:
                break;
        }
    } catch (const std::bad_alloc&) {
        ++lost_;  // the host is out of memory: one block is not in the books
    }
}

void DeviceBooks::allocated(const memory::DeviceEvent& event, Bytes reserved, const char* op,
                            Bytes gemmWorkspace) {
    const auto address = static_cast<std::uintptr_t>(event.address);
    const auto [entry, isNew] = blocks_.try_emplace(address);
    if (!isNew) {  // its free was not reported
        books_.release(entry->second);
        ++lost_;
    }
    entry->second = books_.add(event.bytes, reserved);
    const Place place = books_.place();
    if (isWorkspace(event.bytes, op, gemmWorkspace, place.layer)) {
        books_.retag(entry->second, Category::Workspace, false);
        Bytes& largest = workspaces_[{place.layer, place.phase}];
        largest = std::max(largest, event.bytes);
    }
    if (const Bytes total = segments_.totals().requested; total > peak_) {
        peak_ = total;
        atPeak_ = segments_.totals();
    }
    if (log_.open) {
        log_.entries.push_back({reinterpret_cast<const void*>(address), event.bytes});
        log_.alive.insert(address);
    }
}

void DeviceBooks::freed(std::uintptr_t address) {
    const auto entry = blocks_.find(address);
    if (entry == blocks_.end()) {
        ++lost_;
        return;
    }
    books_.release(entry->second);
    blocks_.erase(entry);
    if (log_.open && log_.alive.erase(address) > 0) {
        log_.entries.push_back({reinterpret_cast<const void*>(address), 0});
    }
}

/// `block`: the size of the refused block, which is the requested size rounded up.
void DeviceBooks::refused(Bytes block, const char* op) {
    books_.refused(block);
    atRefusal_ = segments_.totals();
    const ResultSizes* const results = resultsOf(op, books_.place().layer);
    if (results != nullptr && std::none_of(results->begin(), results->end(), [&](Bytes bytes) {
            return bytes > 0 && memory::roundedSize(bytes, config_) == block;
        })) {
        ++refused_;
    }
}

/// Null if `op` is not a convolution or the layer has no result sizes.
const ResultSizes* DeviceBooks::resultsOf(const char* op, int layer) const {
    const bool known =
        op != nullptr && isConvolution(op) && layer >= 0 && static_cast<std::size_t>(layer) < results_.size();
    return known ? &results_[static_cast<std::size_t>(layer)] : nullptr;
}

/// True if the allocation is a library's workspace: it has the size of cuBLAS's workspace, or a convolution
/// allocates it directly (not through aten::empty) and no result has its size.
bool DeviceBooks::isWorkspace(Bytes bytes, const char* op, Bytes gemmWorkspace, int layer) const {
    if (op == nullptr || std::string_view(op).starts_with("aten::empty")) {
        return false;
    }
    if (gemmWorkspace > 0 && bytes == gemmWorkspace) {
        return true;
    }
    const ResultSizes* const results = resultsOf(op, layer);
    return results != nullptr && std::find(results->begin(), results->end(), bytes) == results->end();
}

bool DeviceBooks::retag(std::uintptr_t address, Category category, bool onlyTemporaries) {
    const std::lock_guard lock(mutex_);
    const auto entry = blocks_.find(address);
    if (entry != blocks_.end()) {
        books_.retag(entry->second, category, onlyTemporaries);
    }
    return entry != blocks_.end();
}

std::optional<Category> DeviceBooks::categoryOf(std::uintptr_t address) const {
    const std::lock_guard lock(mutex_);
    const auto entry = blocks_.find(address);
    return entry != blocks_.end() ? std::optional(books_.categoryOf(entry->second)) : std::nullopt;
}

memory::SegmentTotals DeviceBooks::atPeak() const {
    const std::lock_guard lock(mutex_);
    return atPeak_;
}

memory::SegmentTotals DeviceBooks::now() const {
    const std::lock_guard lock(mutex_);
    return segments_.totals();
}

std::optional<memory::SegmentTotals> DeviceBooks::atRefusal() const {
    const std::lock_guard lock(mutex_);
    return atRefusal_;
}

std::vector<wire::LayerWorkspace> DeviceBooks::workspaces() const {
    const std::lock_guard lock(mutex_);
    std::vector<wire::LayerWorkspace> all;
    for (const auto& [where, bytes] : workspaces_) {
        all.push_back({where.first, where.second, bytes});
    }
    return all;
}

std::int64_t DeviceBooks::workspacesRefused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
}

std::int64_t DeviceBooks::inconsistencies() const {
    const std::lock_guard lock(mutex_);
    return lost_ + segments_.counts().inconsistencies;
}

void DeviceBooks::startLog() {
    const std::lock_guard lock(mutex_);
    log_ = {};
    log_.open = true;
}

std::vector<LoggedAllocation> DeviceBooks::stopLog() {
    const std::lock_guard lock(mutex_);
    log_.open = false;
    log_.alive.clear();
    return std::move(log_.entries);
}

}  // namespace highwater::engine
