#include "core/capture/words.h"

#include <fmt/format.h>

#include <array>

namespace highwater::capture {

namespace {

constexpr std::array<std::string_view, memory::kPhaseCount> kPhaseWords = {
    "setup", "data", "forward", "recompute", "backward", "optimizer"};

struct ProfilerWord {
    std::string_view word;
    memory::Category category;
};
constexpr ProfilerWord kProfilerWords[] = {{"temporary", memory::Category::Temporaries},
                                           {"activation", memory::Category::Activations},
                                           {"gradient", memory::Category::Gradients},
                                           {"autograd_detail", memory::Category::Temporaries},
                                           {"parameter", memory::Category::Parameters}};

}  // namespace

std::string_view phaseWord(memory::Phase phase) {
    return kPhaseWords[static_cast<std::size_t>(phase)];
}

std::optional<memory::Phase> phaseOf(std::string_view word) {
    for (std::size_t i = 0; i < kPhaseWords.size(); ++i)
        if (kPhaseWords[i] == word)
            return static_cast<memory::Phase>(i);
    return {};
}

std::optional<memory::Category> categoryOf(std::string_view word) {
    for (const memory::Category category : memory::kCategories)
        if (memory::categoryKey(category) == word)
            return category;
    for (const ProfilerWord& known : kProfilerWords)
        if (known.word == word)
            return known.category;
    return {};
}

std::string placeWords(const memory::Trace& trace, memory::Phase phase, std::int16_t layer) {
    const std::string_view word = phaseWord(phase);
    return layer < 0 ? std::string(word)
                     : fmt::format("{} · {}", word, trace.layers[static_cast<std::size_t>(layer)]);
}

}  // namespace highwater::capture
