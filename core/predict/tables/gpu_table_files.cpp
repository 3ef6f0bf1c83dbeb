#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/file.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;

/// The names of all tables in a folder, sorted.
std::vector<std::string> gpuTablesIn(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
        names.push_back(at->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool sameSoftware(const GpuKey& a, const GpuKey& b) {
    return a.libtorch == b.libtorch && a.cudnn == b.cudnn && a.architecture == b.architecture;
}

base::Result<GpuTable> readGpuTable(const fs::path& file) {
    const auto text = HIGHWATER_TRY(base::readFile(file));
    auto table = parseGpuTable(text, file.string());
    if (table && gpuTableFileName(table->key()) != file.filename().string()) {
        return base::Error{
            fmt::format("{}: line 1: it is of another device or software than its name says: {}",
                        file.string(), gpuTableFileName(table->key()))};
    }
    return table;
}

}  // namespace

std::string gpuTableFileName(const GpuKey& key) {
    return fmt::format("libtorch-{}_cudnn-{}_sm{}_{}.txt", key.libtorch, key.cudnn, key.architecture,
                       key.device);
}

std::optional<GpuKey> keyOfGpuTableName(std::string_view name) {
    constexpr std::string_view kMarks[] = {"libtorch-", "_cudnn-", "_sm", "_"}, kEnd = ".txt";
    std::string parts[4];
    const std::string_view whole = name;
    for (int i = 0; i < 4; ++i) {
        if (!name.starts_with(kMarks[i])) {
            return std::nullopt;
        }
        name.remove_prefix(kMarks[i].size());
        const std::size_t end = i < 3 ? name.find(kMarks[i + 1]) : name.rfind(kEnd);
        parts[i] = name.substr(0, end);
        name.remove_prefix(parts[i].size());
    }
    GpuKey key{parts[0], parts[1], 0, parts[3]};
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), key.architecture);
    return gpuTableFileName(key) == whole ? std::optional(key) : std::nullopt;
}

std::vector<fs::path> gpuTableFolders() {
    std::vector<fs::path> folders = calibrationFolders();
    for (fs::path& folder : folders) {
        folder /= "gpu";
    }
    return folders;
}

base::Result<GpuTable> loadGpuTable(const GpuKey& key, std::span<const fs::path> folders) {
    GpuTable joined(key);
    for (const bool own : {true, false}) {
        for (const fs::path& folder : folders) {
            for (const std::string& name : gpuTablesIn(folder)) {
                const auto other = keyOfGpuTableName(name);
                if (!other || !sameSoftware(*other, key) || (other->device == key.device) != own) {
                    continue;
                }
                const auto table = HIGHWATER_TRY(readGpuTable(folder / name));
                joined.join(table);
            }
        }
    }
    return joined;
}

base::Status keepMeasured(const GpuTable& rows, const fs::path& folder) {
    const fs::path file = folder / gpuTableFileName(rows.key());
    GpuTable all(rows);
    std::error_code failed;
    if (fs::exists(file, failed)) {
        const auto before = HIGHWATER_TRY(readGpuTable(file));
        all.join(before);
    }
    return base::writeInFolder(file, writeGpuTable(all));
}

}  // namespace highwater::predict
