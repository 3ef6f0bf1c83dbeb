#include "core/capture/words.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace highwater::capture {

namespace {

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

base::Error fileError(const std::filesystem::path& file, std::string_view what) {
    return base::Error{base::oneLine(fmt::format("{}: {}", file.string(), what), 1000)};
}

std::optional<memory::Category> categoryOf(std::string_view word) {
    for (const memory::Category category : memory::kCategories) {
        if (memory::categoryKey(category) == word) {
            return category;
        }
    }
    for (const ProfilerWord& known : kProfilerWords) {
        if (known.word == word) {
            return known.category;
        }
    }
    return {};
}

std::string placeWords(const memory::Trace& trace, memory::Phase phase, std::int16_t layer) {
    const std::string_view word = memory::phaseKey(phase);
    return layer < 0 ? std::string(word)
                     : fmt::format("{} · {}", word, trace.layers[static_cast<std::size_t>(layer)]);
}

}  // namespace highwater::capture
