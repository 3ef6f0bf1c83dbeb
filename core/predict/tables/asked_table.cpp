#include "core/predict/tables/asked_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/predict/tables/calibration.h"
#include "core/predict/tables/table_text.h"

namespace highwater::predict {

namespace {

namespace fs = std::filesystem;
using base::Bytes;
using base::Error;
using base::Json;
using namespace table_text;

constexpr std::size_t kTimedPlans = 10;      // benchmark_limit's default
constexpr std::size_t kMostAnswers = 50000;  // limit of the user's own table, which is then started anew
constexpr std::size_t kLongestDescription = 4096;

template <class Way>
void askedHead(Way& way, base::Exchanged<Way, AskedKey>& key, base::Exchanged<Way, Json>& described) {
    way.format("schema", "highwater.asked-table/1");
    way("cudnn", key.cudnn);
    const auto version = parseCudnnVersion(key.cudnn);
    way.check(version && toText(*version) == key.cudnn, "cudnn", "must be a version such as \"9.19.0\"");
    way("device", key.device);
    way.check(isProfileId(key.device), "device", "must be a profile's id, such as \"h200\"");
    way("described", described);
    way.check(described.is_object(), "described", "must be the device as cuDNN was told, an object");
}

base::Result<AskedTable> parseAskedHeader(std::string_view line, std::string_view name) {
    AskedKey key;
    Json described;
    HIGHWATER_TRY(readHead(line, name, [&](auto& way) { askedHead(way, key, described); }));
    key.described = base::jsonText(described);
    if (key.described.size() > kLongestDescription) {
        return Error{
            fmt::format("{}: line 1: /described: is longer than {} bytes", name, kLongestDescription)};
    }
    return AskedTable(key);
}

/// Whether the five numbers can be from one list of plans.
bool fit(const AskedPlans& plans) {
    return 0 <= plans.least && plans.least <= plans.timedLeast && plans.timedLeast <= plans.first &&
           plans.first <= plans.timedMost && plans.timedMost <= plans.most && plans.most <= kMostBytes;
}

/// Returns an error message for the line; empty if it is valid.
std::string readAskedRow(std::string_view line, AskedTable& table) {
    const std::string_view word = takeWord(line), which = takeWord(line);
    const auto key = parseConvKey(word);
    if (!key) {
        return key.error().message;
    }
    const auto switches = parseGpuSwitches(which);
    const int parts = (key->pass == ConvKey::Pass::Forward ? 1 : 0) + (key->inputGradient ? 1 : 0) +
                      (key->weightGradient ? 1 : 0);
    if (!switches || switches->benchmark || parts != 1) {
        return "a row begins with one part of a convolution and its switches: -, or of tf32,deterministic "
               "those that "
               "are on";
    }
    std::optional<AskedPlans> answer;
    if (line != "-") {
        AskedPlans plans;
        for (Bytes* const value :
             {&plans.first, &plans.least, &plans.timedLeast, &plans.timedMost, &plans.most}) {
            if (!base::readNumber(takeWord(line), *value)) {
                return "a row ends with five workspaces in bytes, or with - if there is no plan";
            }
        }
        if (!line.empty() || !fit(plans)) {
            return "the workspaces do not fit each other: first, least, least and most of those timed, most";
        }
        answer = plans;
    }
    table.add(fmt::format("{} {}", word, which), answer);
    return "";
}

void writeAskedRow(std::string& text, const std::string& question, const std::optional<AskedPlans>& answer) {
    if (answer) {
        fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {}\n", question, answer->first,
                       answer->least, answer->timedLeast, answer->timedMost, answer->most);
    } else {
        text += question + " -\n";
    }
}

base::Result<AskedTable> readAsked(const fs::path& file, const AskedKey& key) {
    const auto text = HIGHWATER_TRY(base::readFile(file));
    auto table = parseAskedTable(text, file.string());
    if (table && table->key() != key) {
        return Error{
            fmt::format("{}: line 1: it is of another device or version than its name says", file.string())};
    }
    return table;
}

}  // namespace

std::optional<AskedPlans> askedPlans(std::span<const Bytes> workspaces) {
    if (workspaces.empty()) {
        return std::nullopt;
    }
    const auto timed = workspaces.first(std::min(workspaces.size(), kTimedPlans));
    return AskedPlans{workspaces.front(), *std::ranges::min_element(workspaces),
                      *std::ranges::min_element(timed), *std::ranges::max_element(timed),
                      *std::ranges::max_element(workspaces)};
}

AskedKey askedKey(const DeviceProfile& profile, const CudnnVersion& cudnn) {
    return {toText(cudnn), profile.id, deviceForCudnn(profile)};
}

std::string deviceForCudnn(const DeviceProfile& profile) {
    constexpr int kDriver =
        13000;  // a driver for CUDA 13, which supports every version of cuDNN that can be asked
    if (!profile.attributes) {
        return "";
    }
    const DeviceAttributes& a = *profile.attributes;
    return base::jsonText(Json{
        {"maxGridSize", {2147483647, 65535, 65535}},
        {"maxBlockSize", {1024, 1024, 64}},
        {"regsPerBlock", 65536},
        {"multiProcessorCount", a.multiprocessors},
        {"warpSize", 32},
        {"maxSharedMemoryPerBlock", 49152},
        {"maxSharedMemoryPerBlockOptin", a.sharedPerBlockOptIn},
        {"reservedSharedMemoryPerBlock", profile.architecture >= 80 ? 1024 : 0},
        {"maxRegistersPerSM", 65536},
        {"maxCtasPerSM", a.blocksPerMultiprocessor},
        {"maxThreadsPerBlock", 1024},
        {"maxThreadsPerSM", a.threadsPerMultiprocessor},
        {"pciDeviceId", 0},
        {"isTccDriver", 0},
        {"supportCoopLaunch", 1},
        {"totalGlobalMem", a.memory > 0 ? a.memory : profile.memory},
        {"smClockRateKHz", a.clockKHz},
        {"memClockRateKHz", a.memoryClockKHz},
        {"l2CacheSize", a.l2Cache},
        {"cudaDeviceId", 0},
        {"deviceVer", profile.architecture * 10},
        {"driverVer", kDriver},
        {"deviceName", profile.name},
    });
}

std::string questionName(const GpuConvolution& op, ConvPart part) {
    GpuConvolution asked = op;
    asked.switches.benchmark = false;
    return partName(asked, part);
}

void AskedTable::add(std::string question, std::optional<AskedPlans> answer) {
    rows_.insert_or_assign(std::move(question), answer);
}

void AskedTable::join(const AskedTable& other) {
    rows_.insert(other.rows_.begin(), other.rows_.end());
}

const std::optional<AskedPlans>* AskedTable::find(const std::string& question) const {
    const auto at = rows_.find(question);
    return at == rows_.end() ? nullptr : &at->second;
}

base::Result<AskedTable> parseAskedTable(std::string_view text, std::string_view name) {
    return table_text::parse(text, name, parseAskedHeader, readAskedRow);
}

std::string writeAskedTable(const AskedTable& table) {
    const auto described = base::parseJson(table.key().described, "device");
    const Json object = described ? *described : Json::object();
    return table_text::write([&](auto& way) { askedHead(way, table.key(), object); }, table.rows(),
                             writeAskedRow);
}

std::string askedFileName(const AskedKey& key) {
    return fmt::format("cudnn-{}_{}.txt", key.cudnn, key.device);
}

std::vector<fs::path> askedFolders() {
    std::vector<fs::path> folders = calibrationFolders();
    for (fs::path& folder : folders) {
        folder /= "cudnn";
    }
    return folders;
}

AskedTable loadAskedTable(const AskedKey& key, std::span<const fs::path> folders) {
    AskedTable joined(key);
    for (const fs::path& folder : folders) {
        if (const auto table = readAsked(folder / askedFileName(key), key)) {
            joined.join(*table);
        }
    }
    return joined;
}

base::Status keepAnswers(const AskedTable& answers, const fs::path& folder) {
    const fs::path file = folder / askedFileName(answers.key());
    AskedTable all(answers);
    if (const auto before = readAsked(file, answers.key());
        before && before->size() + all.size() <= kMostAnswers) {
        all.join(*before);
    }
    return base::writeInFolder(file, writeAskedTable(all));
}

}  // namespace highwater::predict
