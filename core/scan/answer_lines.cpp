#include "core/scan/answer_lines.h"

#include <algorithm>

#include "core/base/text.h"

namespace highwater::scan {
namespace {

using base::Json;

constexpr std::size_t kMostLine = 16 << 20;
constexpr std::size_t kMostStage = 40;

double fractionOf(const Json& json) {
    const auto found = json.find("fraction");
    const double fraction = found != json.end() && found->is_number() ? found->get<double>() : -1;
    return fraction < 0 ? -1 : std::min(fraction, 1.0);
}

}  // namespace

void AnswerLines::add(std::string_view bytes) {
    std::size_t look = text_.size(), begin = 0;  // the text from before contains no newline
    text_ += bytes;
    for (std::size_t end = text_.find('\n', look); end != std::string::npos; end = text_.find('\n', look)) {
        take(std::string_view(text_).substr(begin, end - begin));
        look = begin = end + 1;
    }
    text_.erase(0, begin);
}

bool AnswerLines::tooLong() const {
    return text_.size() > kMostLine;
}

void AnswerLines::take(std::string_view line) {
    auto json = base::parseJson(line, "highwater-scan");
    if (!json || !json->is_object()) {
        return;
    }
    const auto stage = json->find("stage");
    if (stage == json->end()) {
        last_ = std::move(*json);
        return;
    }
    if (stage->is_string()) {
        stage_ = base::oneLine(stage->get_ref<const std::string&>(), kMostStage);
        if (progress_) {
            progress_({stage_, fractionOf(*json)});
        }
    }
}

}  // namespace highwater::scan
