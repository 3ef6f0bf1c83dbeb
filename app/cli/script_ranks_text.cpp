#include "app/cli/script_ranks_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "app/cli/script_text.h"
#include "core/base/text.h"
#include "core/predict/target/ranks.h"

namespace highwater::cli {
namespace {

using base::formatBytes;
using Json = nlohmann::ordered_json;

ToldScript toldScript(const ToldRanks& told, const ToldRank& rank) {
    ToldScript script{.gpu = told.gpu,
                      .name = told.profile.name,
                      .budget = told.budget,
                      .outcome = rank.outcome ? &*rank.outcome : nullptr,
                      .result = &rank.result,
                      .run = rank.run};
    script.contextKept = told.profile.contextKept;
    return script;
}

std::string extraText(const ToldRanks& told) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (told.extra.allocated > 0) {
        add(formatBytes(told.extra.allocated) + " more in whole blocks than any other rank");
    }
    for (const memory::Category category : memory::kCategories) {
        if (told.extra.byCategory[category] > 0) {
            add(fmt::format("{} {} more at its peak", formatBytes(told.extra.byCategory[category]),
                            memory::categoryKey(category)));
        }
    }
    if (told.extra.byOtherRanks > 0) {
        add(fmt::format(
            "{} that other ranks hold on its GPU, with their CUDA contexts: they use cuda:0 before "
            "they select their own (torch.cuda.set_device, map_location)",
            formatBytes(told.extra.byOtherRanks)));
    }
    return text.empty() ? "nothing: no rank holds more" : text;
}

/// The heads, then one row for each rank, with the categories that any of them has.
std::vector<std::vector<std::string>> rankRows(const ToldRanks& told) {
    std::vector<memory::Category> categories;
    for (const memory::Category category : memory::kCategories) {
        if (std::ranges::any_of(told.ranks, [&](const ToldRank& rank) {
                return rank.outcome && rank.outcome->peakByCategory[category] > 0;
            })) {
            categories.push_back(category);
        }
    }
    std::vector<std::vector<std::string>> rows{
        {"rank", "peak", "in whole blocks", "reserved", "on the device"}};
    for (const memory::Category category : categories) {
        rows[0].emplace_back(memory::categoryKey(category));
    }
    for (const ToldRank& rank : told.ranks) {
        std::vector<std::string> row{std::to_string(rank.rank)};
        if (rank.outcome) {
            for (const base::Bytes bytes : {rank.outcome->requested, rank.outcome->allocated,
                                            rank.outcome->reserved, told.onDevice(rank)}) {
                row.push_back(formatBytes(bytes));
            }
            for (const memory::Category category : categories) {
                row.push_back(formatBytes(rank.outcome->peakByCategory[category]));
            }
        } else {
            row.emplace_back(rank.exit == 0 ? "it never used a GPU" : "nothing was recorded");
        }
        row.resize(rows[0].size());
        rows.push_back(std::move(row));
    }
    return rows;
}

void printTable(const ToldRanks& told) {
    std::vector<std::vector<std::string>> rows = rankRows(told);
    std::vector<std::size_t> right;
    for (std::size_t column = 1; column < rows[0].size(); ++column) {
        right.push_back(column);
    }
    printLines(table(std::move(rows), right));
}

std::string ncclText(const ToldRanks& told) {
    const script::ScriptOutcome* const outcome = told.fullest().outcome ? &*told.fullest().outcome : nullptr;
    if (outcome == nullptr || outcome->communicators == 0) {
        return "none: NCCL was not used";
    }
    const auto estimate = predict::ncclBuffers(static_cast<int>(told.ranks.size()));
    return fmt::format("{} on each device, for {}: estimated, {} to {} each; outside PyTorch's allocator",
                       formatBytes(outcome->nccl), base::counted(outcome->communicators, "communicator"),
                       formatBytes(estimate.low), formatBytes(estimate.high));
}

}  // namespace

void ToldRanks::findExtra() {
    std::vector<const script::ScriptOutcome*> outcomes;
    for (const ToldRank& rank : ranks) {
        outcomes.push_back(rank.outcome ? &*rank.outcome : nullptr);
    }
    extra = script::firstRankExtra(outcomes);
}

base::Bytes ToldRanks::onDevice(const ToldRank& rank) const {
    return rank.onDevice() + (rank.rank == 0 ? extra.byOtherRanks : 0);
}

const ToldRank& ToldRanks::fullest() const {
    return *std::ranges::max_element(ranks, {}, [this](const ToldRank& rank) { return onDevice(rank); });
}

std::string ToldRanks::doesNotFit() const {
    const ToldRank& most = fullest();
    if (budget && onDevice(most) > *budget) {
        return fmt::format("rank {} needs {} of its device, more than the budget of {}", most.rank,
                           formatBytes(onDevice(most)), formatBytes(*budget));
    }
    return overflow();
}

std::string ToldRanks::overflow() const {
    const ToldRank& most = fullest();
    const base::Bytes bytes = onDevice(most);
    if (most.outcome && bytes + most.outcome->others > most.outcome->capacity) {
        return fmt::format("the GPU of rank {} would hold {}, with what other ranks use there; it has {}",
                           most.rank, formatBytes(bytes), formatBytes(most.outcome->capacity));
    }
    return {};
}

void printRanks(const ToldRanks& told) {
    const ToldRank& most = told.fullest();
    if (!most.outcome) {
        printRow("memory", "no rank used a GPU");
        return;
    }
    printTable(told);
    printText("\n");
    printRow("NCCL's buffers", ncclText(told));
    printRow("rank 0's extra", extraText(told));
    if (const std::string why = told.overflow(); !why.empty()) {
        printRow("fits", "no: " + why);
    }
    printText("\nRank {}, whose device holds the most{}:\n\n", most.rank,
              most.rank == 0 && told.extra.byOtherRanks > 0 ? ", without what other ranks hold there" : "");
    ToldScript one = toldScript(told, most);
    one.run = 0;
    printScript(one);
    std::vector<std::string> runs;
    for (const ToldRank& rank : told.ranks) {
        if (rank.run > 0) {
            runs.push_back(std::to_string(rank.run));
        }
    }
    if (!runs.empty()) {
        printText("\nRecorded as runs {}, one study.\n", fmt::format("{}", fmt::join(runs, ", ")));
    }
}

Json ranksJson(const ToldRanks& told) {
    const ToldRank& most = told.fullest();
    Json json = scriptJson(toldScript(told, most));
    const auto estimate = predict::ncclBuffers(static_cast<int>(told.ranks.size()));
    if (!told.overflow().empty()) {
        json["fits"] = false;
    }
    json["fullest_rank"] = most.rank;
    json["nccl"] = {{"communicators", most.outcome ? most.outcome->communicators : 0},
                    {"bytes", most.outcome ? most.outcome->nccl : 0},
                    {"estimated", true},
                    {"low_bytes_each", estimate.low},
                    {"high_bytes_each", estimate.high}};
    Json categories = Json::object();
    for (const memory::Category category : memory::kCategories) {
        categories[std::string(memory::categoryKey(category))] = told.extra.byCategory[category];
    }
    json["rank0_extra"] = {{"allocated_bytes", told.extra.allocated},
                           {"by_category", categories},
                           {"by_other_ranks_bytes", told.extra.byOtherRanks}};
    json["ranks"] = Json::array();
    for (const ToldRank& rank : told.ranks) {
        Json one = {{"rank", rank.rank}};
        one.update(scriptJson(toldScript(told, rank)));
        json["ranks"].push_back(std::move(one));
    }
    return json;
}

Json ranksWords(const ToldRanks& told) {
    Json words = scriptWords(toldScript(told, told.fullest()));
    words["ranks"] = rankRows(told);
    words["nccl"] = ncclText(told);
    words["rank0_extra"] = extraText(told);
    words["overflow"] = told.overflow();
    return words;
}

}  // namespace highwater::cli
