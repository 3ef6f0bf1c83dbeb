#include "widgets/timeline/trace_search.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"

namespace highwater::widgets {

namespace {

constexpr std::size_t kMostWords = 60;

bool isSpace(char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        while (i < text.size() && !isSpace(text[i])) {
            ++i;
        }
        if (i > begin) {
            parts.emplace_back(text.substr(begin, i - begin));
        }
        while (i < text.size() && isSpace(text[i])) {
            ++i;
        }
    }
    return parts;
}

bool isUnit(const std::string& word) {
    static constexpr std::string_view kUnits[] = {"b", "k",  "kb",  "kib", "m",  "mb", "mib",
                                                  "g", "gb", "gib", "t",   "tb", "tib"};
    return std::find(std::begin(kUnits), std::end(kUnits), base::lowered(word)) != std::end(kUnits);
}

/// The words from `at` on that form the size after the operator, without the operator; moves `at` past them.
std::string sizeText(const std::vector<std::string>& parts, std::size_t& at, std::size_t operatorLength) {
    std::string size = parts[at].substr(operatorLength);
    if (size.empty() && at + 1 < parts.size()) {
        size = parts[++at];
    }
    const bool bare = !size.empty() && std::isdigit(static_cast<unsigned char>(size.back()));
    if (bare && at + 1 < parts.size() && isUnit(parts[at + 1])) {
        size += parts[++at];
    }
    return size;
}

/// The bits of the words that occur in the text.
std::uint64_t wordsIn(const std::string& text, const std::vector<std::string>& words) {
    const std::string all = base::lowered(text);
    std::uint64_t bits = 0;
    for (std::size_t w = 0; w < words.size(); ++w) {
        if (all.find(words[w]) != std::string::npos) {
            bits |= std::uint64_t{1} << w;
        }
    }
    return bits;
}

std::vector<std::uint64_t> wordsInEach(const std::vector<std::string>& texts,
                                       const std::vector<std::string>& words) {
    std::vector<std::uint64_t> bits;
    bits.reserve(texts.size());
    for (const std::string& text : texts) {
        bits.push_back(wordsIn(text, words));
    }
    return bits;
}

}  // namespace

base::Result<TraceQuery> parseQuery(std::string_view text) {
    TraceQuery query;
    const auto parts = split(text);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& part = parts[i];
        const bool strict = part.size() < 2 || part[1] != '=';
        const char op = part[0];
        if (op != '<' && op != '>' && op != '=') {
            if (query.words.size() < kMostWords) {
                query.words.push_back(base::lowered(part));
            }
            continue;
        }
        const std::size_t length = op == '=' || strict ? 1 : 2;
        const std::string size = sizeText(parts, i, length);
        const auto bytes = base::parseBytes(size);
        if (!bytes) {
            return base::Error{std::string("after \"") + op + "\" write a size such as 100 MiB, not \"" +
                               base::oneLine(size, 40) + "\""};
        }
        if (op != '<') {
            query.least = std::max(query.least.value_or(0), op == '>' && strict ? *bytes + 1 : *bytes);
        }
        if (op != '>') {
            query.most = std::min(query.most.value_or(*bytes), op == '<' && strict ? *bytes - 1 : *bytes);
        }
    }
    return query;
}

std::vector<std::uint32_t> findBlocks(const TraceIndex& index, const TraceQuery& query) {
    std::vector<std::uint32_t> found;
    if (query.empty()) {
        return found;
    }
    const memory::Trace& trace = index.trace();
    const auto layers = wordsInEach(trace.layers, query.words);
    const auto labels = wordsInEach(trace.labels, query.words);
    std::array<std::uint64_t, memory::kCategoryCount> categories{};
    for (const memory::Category c : memory::kCategories) {
        std::string name(memory::categoryKey(c));
        std::replace(name.begin(), name.end(), '_', ' ');
        categories[static_cast<std::size_t>(c)] = wordsIn(name, query.words);
    }
    const std::uint64_t all = (std::uint64_t{1} << query.words.size()) - 1;
    for (std::uint32_t b = 0; b < index.blocks(); ++b) {
        const BlockLife& life = index.life(b);
        const memory::TraceBlock& block = trace.blocks[b];
        if (!life.here() || block.bytes < query.least.value_or(0) ||
            block.bytes > query.most.value_or(block.bytes)) {
            continue;
        }
        std::uint64_t bits = categories[static_cast<std::size_t>(life.category)];
        if (life.layer >= 0) {
            bits |= layers[static_cast<std::size_t>(life.layer)];
        }
        if (block.label >= 0) {
            bits |= labels[static_cast<std::size_t>(block.label)];
        }
        if (bits == all) {
            found.push_back(b);
        }
    }
    std::sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(index.life(a).begin, a) < std::pair(index.life(b).begin, b);
    });
    return found;
}

std::optional<std::size_t> nextFound(const TraceIndex& index, const std::vector<std::uint32_t>& found,
                                     std::size_t state, bool forward) {
    if (found.empty()) {
        return {};
    }
    const auto begin = [&](std::uint32_t block) { return index.life(block).begin; };
    if (forward) {
        const auto after = std::partition_point(found.begin(), found.end(),
                                                [&](std::uint32_t b) { return begin(b) <= state; });
        return after == found.end() ? 0 : static_cast<std::size_t>(after - found.begin());
    }
    const auto at =
        std::partition_point(found.begin(), found.end(), [&](std::uint32_t b) { return begin(b) < state; });
    return at == found.begin() ? found.size() - 1 : static_cast<std::size_t>(at - found.begin()) - 1;
}

}  // namespace highwater::widgets
