#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/duration.h"
#include "core/base/printable.h"

namespace highwater::base {

namespace {

/// Three significant digits for 1 <= |v| < 1000, and one more before a unit would change ("1023 MiB").
std::string threeDigits(double v) {
    const double a = std::fabs(v);
    if (a < 9.995) {
        return fmt::format("{:.2f}", v);
    }
    if (a < 99.95) {
        return fmt::format("{:.1f}", v);
    }
    return fmt::format("{:.0f}", v);
}

/// Returns the power of 1024 that a unit in lower case stands for; -1 if the unit is unknown.
int unitPower(const std::string& unit) {
    if (unit.empty() || unit == "b") {
        return 0;
    }
    constexpr std::string_view letters = "kmgtpe";
    const auto at = letters.find(unit.front());
    const std::string_view rest = std::string_view(unit).substr(1);
    if (at == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
        return -1;
    }
    return static_cast<int>(at) + 1;
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

std::string formatBytes(Bytes bytes) {
    constexpr std::array<std::string_view, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::fabs(value) >= 1023.5 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{} {}", threeDigits(value), units[unit]);
}

std::string formatMillis(Millis ms) {
    if (!std::isfinite(ms)) {
        return "—";
    }
    if (std::fabs(ms) < 999.5) {
        return threeDigits(ms) + " ms";
    }
    if (std::fabs(ms) < 99950) {
        return threeDigits(ms / 1000) + " s";
    }
    return ms < 0 ? "-" + formatTimeLeft(-ms) : formatTimeLeft(ms);
}

std::string formatCount(std::int64_t count) {
    const double value = static_cast<double>(count);
    if (std::abs(value) < 1000) {
        return std::to_string(count);
    }
    if (std::abs(value) < 99950) {
        return threeDigits(value / 1e3) + " k";
    }
    if (std::abs(value) < 999.5e6) {
        return threeDigits(value / 1e6) + " M";
    }
    return threeDigits(value / 1e9) + " G";
}

std::string formatNumber(double value) {
    if (!std::isfinite(value)) {
        return "—";
    }
    return std::fabs(value) < 999.5  ? fmt::format("{:.3g}", value)
           : std::fabs(value) < 9e18 ? formatCount(std::llround(value))
                                     : fmt::format("{:.3g}", value);
}

std::string formatChange(double reference, double value) {
    const std::string text = fmt::format("{:+.1f} %", 100 * (value - reference) / reference);
    return text == "+0.0 %" || text == "-0.0 %" ? "0.0 %" : text;
}

std::string counted(std::int64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : one.ends_with("s") ? "es" : "s");
}

std::string stepName(int index, int warmup, int steps) {
    return index < warmup ? fmt::format("warm-up {} of {}", index + 1, warmup)
                          : fmt::format("step {} of {}", index - warmup + 1, steps);
}

std::string stepInProgress(int done, int warmup, int steps) {
    return stepName(std::max(0, done - 1), warmup, steps);
}

std::string formatShape(std::span<const std::int64_t> shape) {
    return fmt::format("{}", fmt::join(shape, " × "));
}

std::string formatShapeShort(std::span<const std::int64_t> shape) {
    std::size_t equal = 1;
    while (equal < shape.size() && equal < 3 && shape[shape.size() - equal - 1] == shape.back()) {
        ++equal;
    }
    if (shape.empty() || equal < 2) {
        return formatShape(shape);
    }
    const std::string power = fmt::format("{}{}", shape.back(), equal == 2 ? "²" : "³");
    const auto rest = shape.first(shape.size() - equal);
    return rest.empty() ? power : formatShape(rest) + " × " + power;
}

Result<Bytes> parseBytes(std::string_view text) {
    const std::string_view all = trimmed(text);
    double number = 0;
    const auto [end, code] =
        std::from_chars(all.data(), all.data() + all.size(), number, std::chars_format::fixed);
    const Error bad{fmt::format("\"{}\" is not a size: write a number with a unit, such as 8GiB or 512MiB",
                                oneLine(text, 40))};
    if (code != std::errc() || !std::isfinite(number) || number < 0) {
        return bad;
    }
    const std::string_view unit = trimmed(all.substr(static_cast<std::size_t>(end - all.data())));
    const int power = unit.size() > 3 ? -1 : unitPower(lowered(unit));
    if (power < 0) {
        return bad;
    }
    const double bytes = std::ldexp(number, 10 * power);
    if (bytes >= 9.2233720368547758e18) {
        return Error{fmt::format("\"{}\" is too large: at most 8 EiB", oneLine(text, 40))};
    }
    return static_cast<Bytes>(std::llround(bytes));
}

std::string oneLine(std::string_view text, std::size_t most) {
    std::string line = printable(text, LineBreaks::Replace);
    while (!line.empty() && line.back() == ' ') {
        line.pop_back();
    }
    if (line.size() <= most) {
        return line;
    }
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) {
        --cut;
    }
    return line.substr(0, cut) + "…";
}

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        c = lowered(c);
    }
    return out;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string nearestWord(std::string_view word, std::span<const std::string_view> candidates) {
    if (word.size() > 64) {
        return {};
    }
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string_view found;
    for (const auto candidate : candidates) {
        if (candidate.size() >= word.size() + best) {
            continue;  // the edit distance is at least the difference in length
        }
        const std::size_t distance = editDistance(word, candidate);
        if (distance < best) {
            best = distance;
            found = candidate;
        }
    }
    return std::string(found);
}

}  // namespace highwater::base
