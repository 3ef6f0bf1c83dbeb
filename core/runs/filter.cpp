#include "core/runs/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/runs/filter_words.h"
#include "core/runs/words.h"

namespace highwater::runs {

namespace {

using Made = base::Result<Filter::Test>;
using NumberOf = std::optional<double> (*)(const RunSummary&);
using TextOf = const std::string& (*)(const RunSummary&);

std::optional<double> positive(double value) {
    return value > 0 ? std::optional(value) : std::nullopt;
}

Filter::Test numeric(Sign sign, double right, NumberOf value) {
    return [=](const RunSummary& run) {
        const auto left = value(run);
        return left && holds(sign, *left, right);
    };
}

std::optional<double> numberIn(std::string_view text, std::string_view* rest = nullptr) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto used = static_cast<std::size_t>(end - text.data());
    if (code != std::errc() || !std::isfinite(value) || (!rest && used != text.size())) {
        return std::nullopt;
    }
    if (rest) {
        *rest = text.substr(used);
    }
    return value;
}

Made numberTest(const FilterWord& word, NumberOf value) {
    const auto right = numberIn(word.value);
    if (!right) {
        return base::Error{fmt::format("\"{}\": \"{}\" is not a number; write it as in {}{}2", word.whole(),
                                       base::oneLine(word.value, 40), word.word, signText(*word.sign))};
    }
    return numeric(*word.sign, *right, value);
}

Made sizeTest(const FilterWord& word, NumberOf value) {
    const bool unit = !word.value.empty() && !std::isdigit(static_cast<unsigned char>(word.value.back())) &&
                      word.value.back() != '.';
    const auto right = base::parseBytes(word.value);
    if (!right || (!unit && *right != 0)) {
        return base::Error{
            fmt::format("\"{}\": \"{}\" is not a size; write a number with its unit, as in {}{}8GiB",
                        word.whole(), base::oneLine(word.value, 40), word.word, signText(*word.sign))};
    }
    return numeric(*word.sign, static_cast<double>(*right), value);
}

Made durationTest(const FilterWord& word, NumberOf value) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"", 1}, {"ms", 1}, {"us", 1e-3}, {"µs", 1e-3}, {"s", 1e3}, {"min", 6e4}, {"h", 3.6e6}};
    std::string_view unit;
    const auto right = numberIn(word.value, &unit);
    for (const auto& [known, ms] : units) {
        if (right && alike(unit, known)) {
            return numeric(*word.sign, *right * ms, value);
        }
    }
    return base::Error{fmt::format("\"{}\": \"{}\" is not a time; write it as in {}{}200ms or {}{}1.5s",
                                   word.whole(), base::oneLine(word.value, 40), word.word,
                                   signText(*word.sign), word.word, signText(*word.sign))};
}

/// For keys whose values have no order.
base::Status checkEquality(const FilterWord& word) {
    if (word.sign == Sign::Equal || word.sign == Sign::Unequal) {
        return {};
    }
    return base::Error{fmt::format("\"{}\": {} has no order; write {}={} or {}!={}", word.whole(), word.word,
                                   word.word, base::oneLine(word.value, 40), word.word,
                                   base::oneLine(word.value, 40))};
}

template <class Fits>
Made equality(const FilterWord& word, Fits fits) {
    HIGHWATER_TRY(checkEquality(word));
    return Filter::Test(
        [fits, wanted = word.sign == Sign::Equal](const RunSummary& run) { return fits(run) == wanted; });
}

Made partTest(const FilterWord& word, TextOf text) {
    return equality(word,
                    [text, value = word.value](const RunSummary& run) { return holds(text(run), value); });
}

Made deviceTest(const FilterWord& word) {
    return equality(word, [value = word.value](const RunSummary& run) {
        return alike(run.device, value) || alike(run.device.substr(0, run.device.find(':')), value);
    });
}

Made tagTest(const FilterWord& word) {
    return equality(word, [value = word.value](const RunSummary& run) {
        return std::any_of(run.tags.begin(), run.tags.end(),
                           [&](const std::string& own) { return alike(own, value); });
    });
}

constexpr std::array<wire::RunStatus, 5> kStatuses = {wire::RunStatus::Running, wire::RunStatus::Done,
                                                      wire::RunStatus::Cancelled,
                                                      wire::RunStatus::OutOfMemory, wire::RunStatus::Failed};

std::string statusWords(wire::RunStatus status) {
    std::string words(wire::statusKey(status));
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

Made statusTest(const FilterWord& word) {
    std::string wanted = alike(word.value, "oom") ? "out of memory" : word.value;
    std::replace(wanted.begin(), wanted.end(), '_', ' ');
    for (const wire::RunStatus known : kStatuses) {
        if (alike(statusWords(known), wanted)) {
            return equality(word, [known](const RunSummary& run) { return run.status == known; });
        }
    }
    return base::Error{
        fmt::format("\"{}\": a run is running, done, cancelled, out_of_memory or failed; write status=done",
                    word.whole())};
}

Made patchTest(const FilterWord& word) {
    stack::Sizes sizes;
    std::string_view rest = word.value;
    while (!rest.empty()) {
        std::int64_t side = 0;
        const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), side);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        const bool more = rest.size() > 1 && (rest.front() == 'x' || rest.front() == 'X');
        if (code != std::errc() || side <= 0 || (!rest.empty() && !more)) {
            return base::Error{fmt::format("\"{}\": \"{}\" is not a patch; write patch=96 or patch=96x96x64",
                                           word.whole(), base::oneLine(word.value, 40))};
        }
        rest.remove_prefix(more ? 1 : 0);
        sizes.push_back(side);
    }
    return equality(word, [sizes](const RunSummary& run) {
        const bool cube = sizes.size() == 1 && !run.patch.empty();
        return run.patch == sizes || (cube && std::all_of(run.patch.begin(), run.patch.end(),
                                                          [&](auto side) { return side == sizes[0]; }));
    });
}

/// Compares a date, or the beginning of one, with the same part of the run's.
Made createdTest(const FilterWord& word) {
    const std::string_view form = "0000-00-00T00:00:00";
    const std::string& value = word.value;
    bool good = value.size() == 4 || value.size() == 7 || value.size() == 10 || value.size() == 16;
    for (std::size_t i = 0; good && i < value.size(); ++i) {
        good = form[i] == '0' ? value[i] >= '0' && value[i] <= '9'
                              : base::lowered(value[i]) == base::lowered(form[i]);
    }
    if (!good) {
        return base::Error{fmt::format("\"{}\": \"{}\" is not a day; write it as in created>=2026-11-23",
                                       word.whole(), base::oneLine(value, 40))};
    }
    return Filter::Test([sign = *word.sign, value](const RunSummary& run) {
        return holds(sign, std::string_view(run.created).substr(0, value.size()), std::string_view(value));
    });
}

struct Key {
    std::string_view name;
    Made (*make)(const FilterWord&);
};

constexpr auto kPeak = [](const RunSummary& run) { return positive(static_cast<double>(run.peakAllocated)); };
constexpr auto kStep = [](const RunSummary& run) { return positive(run.stepMs.median); };
constexpr auto kBatch = [](const RunSummary& run) { return positive(static_cast<double>(run.batchSize)); };
constexpr auto kRun = [](const RunSummary& run) { return positive(run.number); };
constexpr auto kSteps = [](const RunSummary& run) { return positive(run.stepMs.n); };
constexpr auto kLoss = [](const RunSummary& run) { return run.loss; };

constexpr Key kKeys[] = {
    {"peak", [](const FilterWord& w) { return sizeTest(w, kPeak); }},
    {"step", [](const FilterWord& w) { return durationTest(w, kStep); }},
    {"batch", [](const FilterWord& w) { return numberTest(w, kBatch); }},
    {"loss", [](const FilterWord& w) { return numberTest(w, kLoss); }},
    {"run", [](const FilterWord& w) { return numberTest(w, kRun); }},
    {"steps", [](const FilterWord& w) { return numberTest(w, kSteps); }},
    {"device", deviceTest},
    {"host",
     [](const FilterWord& w) {
         return equality(w, [value = w.value](const RunSummary& run) { return alike(run.host, value); });
     }},
    {"status", statusTest},
    {"tag", tagTest},
    {"patch", patchTest},
    {"created", createdTest},
    {"name",
     [](const FilterWord& w) {
         return partTest(w, [](const RunSummary& run) -> const std::string& { return run.name; });
     }},
    {"note",
     [](const FilterWord& w) {
         return partTest(w, [](const RunSummary& run) -> const std::string& { return run.note; });
     }},
    {"study",
     [](const FilterWord& w) {
         return partTest(w, [](const RunSummary& run) -> const std::string& { return run.study.name; });
     }},
    {"why", [](const FilterWord& w) {
         return partTest(w, [](const RunSummary& run) -> const std::string& { return run.message; });
     }}};

/// The error for an unknown key.
base::Error unknownKey(const FilterWord& word) {
    std::vector<std::string_view> names;
    std::string all;
    for (const Key& key : kKeys) {
        names.push_back(key.name);
        all += (all.empty() ? "" : ", ") + std::string(key.name);
    }
    const std::string near = base::nearestWord(word.word, names), shown = base::oneLine(word.word, 40);
    return {near.empty() ? fmt::format("\"{}\" cannot be compared; what can: {}", shown, all)
                         : fmt::format("\"{}\" cannot be compared; did you mean \"{}\"?", shown, near)};
}

Made comparison(const FilterWord& word) {
    for (const Key& key : kKeys) {
        if (alike(key.name, word.word)) {
            return key.make(word);
        }
    }
    return unknownKey(word);
}

Filter::Test plainTest(const FilterWord& word) {
    if (!word.quoted && word.word.starts_with('#')) {
        if (const auto number = numberIn(std::string_view(word.word).substr(1))) {
            return [number = *number](const RunSummary& run) { return run.number == number; };
        }
    }
    return [text = word.word](const RunSummary& run) {
        const auto has = [&](const std::string& own) { return holds(own, text); };
        return has(run.name) || has(run.note) || has(run.study.name) || has(whereText(run)) ||
               has(run.message) || has(statusWords(run.status)) ||
               std::any_of(run.tags.begin(), run.tags.end(), has);
    };
}

}  // namespace

base::Result<Filter> Filter::parse(std::string_view text) {
    const auto words = HIGHWATER_TRY(filterWords(text));
    Filter filter;
    for (const FilterWord& word : words) {
        if (!word.sign) {
            filter.tests_.push_back(plainTest(word));
            continue;
        }
        auto made = HIGHWATER_TRY(comparison(word));
        filter.tests_.push_back(std::move(made));
    }
    return filter;
}

bool Filter::matches(const RunSummary& run) const {
    return std::all_of(tests_.begin(), tests_.end(), [&](const Test& test) { return test(run); });
}

}  // namespace highwater::runs
