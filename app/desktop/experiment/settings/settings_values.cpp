#include "app/desktop/experiment/settings/settings_values.h"

#include <QRegularExpression>
#include <algorithm>

#include "app/desktop/experiment/stack/sizes_text.h"
#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/shapes.h"

namespace highwater::desktop {

namespace {

constexpr double kMostValue = 1e30;  // of a scan's voxel

/// Parses two numbers; the error says what they mean.
base::Result<std::pair<double, double>> parsePair(const QString& text, double low, double high,
                                                  const QString& wanted) {
    static const QRegularExpression between("[\\s,;]+");
    const QStringList parts = text.split(between, Qt::SkipEmptyParts);
    if (parts.size() != 2) {
        return base::Error{QString("write two numbers: %1").arg(wanted).toStdString()};
    }
    const auto first = parseNumber(parts[0], low, high), second = parseNumber(parts[1], low, high);
    if (!first || !second) {
        return first ? second.error() : first.error();
    }
    return std::pair{*first, *second};
}

stack::Sizes halved(const stack::Sizes& sizes, std::int64_t step) {
    stack::Sizes out;
    for (const std::int64_t size : sizes) {
        out.push_back(std::max<std::int64_t>(1, (size / 2 + step - 1) / step * step));
    }
    return out;
}

}  // namespace

stack::Experiment settingDefaults(const stack::Experiment& e) {
    stack::Experiment defaults;
    defaults.input = e.input;
    if (auto* scan = std::get_if<stack::ScanInput>(&defaults.input)) {
        scan->cohort.clear();
        scan->normalize = {stack::Normalize::Kind::Zscore, scan->normalize.low, scan->normalize.high};
        scan->sampling = stack::ScanInput::Sampling::Uniform;
    }
    defaults.target = e.target;
    defaults.stack = e.stack;
    defaults.optimizer = stack::makeOptimizer(e.optimizer.kind);
    if (e.windows) {
        defaults.windows = stack::Windows{.size = e.windows->size};
    }
    return defaults;
}

stack::Optimizer withKind(const stack::Optimizer& optimizer, stack::Optimizer::Kind kind) {
    stack::Optimizer made = stack::makeOptimizer(kind);
    made.lr = optimizer.lr;
    if (optimizer.weightDecay != stack::makeOptimizer(optimizer.kind).weightDecay) {
        made.weightDecay = optimizer.weightDecay;
    }
    return made;
}

void setSynthetic(stack::Experiment& e, bool synthetic) {
    const auto* scan = std::get_if<stack::ScanInput>(&e.input);
    if ((scan == nullptr) == synthetic) {
        return;
    }
    if (scan != nullptr) {
        stack::SyntheticInput made;
        made.shape = {std::max<std::int64_t>(1, static_cast<std::int64_t>(scan->scans.size()))};
        const stack::Sizes patch = expandSizes(scan->patch, 3);
        made.shape.insert(made.shape.end(), patch.begin(), patch.end());
        e.input = made;
        return;
    }
    e.input = stack::asScanInput(e);
}

void setWindows(stack::Experiment& e, bool on) {
    if (e.windows.has_value() == on) {
        return;
    }
    e.windows.reset();
    const auto data = stack::inputShape(e);
    if (!on) {
        return;
    }
    e.windows.emplace();
    if (!data) {
        return;
    }
    const stack::Sizes whole(data->begin() + 2, data->end());
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}) {
        e.windows->size = halved(whole, step);
        if (stack::inferShapes(e)) {
            return;
        }
    }
    e.windows->size = halved(whole, 1);
}

base::Result<std::uint64_t> parseSeed(const QString& text) {
    bool ok = false;
    const qulonglong value = text.trimmed().toULongLong(&ok);
    if (!ok) {
        return base::Error{"write a whole number from 0 to 18446744073709551615"};
    }
    return std::uint64_t{value};
}

base::Result<Betas> parseBetas(const QString& text) {
    const auto pair = HIGHWATER_TRY(parsePair(text, 0, 1, "0.9, 0.999"));
    if (pair.first >= 1 || pair.second >= 1) {
        return base::Error{"both must be below 1"};
    }
    return Betas{pair.first, pair.second};
}

QString betasText(const Betas& betas) {
    return numberText(betas.first) + ", " + numberText(betas.second);
}

base::Result<ValueWindow> parseWindow(const QString& text) {
    const auto pair =
        HIGHWATER_TRY(parsePair(text, -kMostValue, kMostValue, "the values that become 0 and 1"));
    if (!(pair.first < pair.second)) {
        return base::Error{"the second number must be larger than the first"};
    }
    return ValueWindow{pair.first, pair.second};
}

QString windowText(const ValueWindow& window) {
    return numberText(window.low) + ", " + numberText(window.high);
}

base::Result<stack::Sizes> parseScanPatch(const QString& text) {
    auto sizes = parseSizes(text, {.low = 1, .high = stack::kMostSize, .most = 3});
    if (sizes && sizes->size() == 2) {
        return base::Error{"write one number, or three: depth × height × width"};
    }
    return sizes;
}

base::Result<stack::Sizes> parseSynthetic(const QString& text) {
    auto sizes = parseSizes(text, {.low = 1, .high = stack::kMostSize, .most = 4});
    if (sizes && sizes->size() < 2) {
        return base::Error{"write the channels, then one to three sizes: 1 × 64 × 64 × 64"};
    }
    return sizes;
}

base::Result<std::optional<base::Bytes>> parseLimit(const QString& text) {
    if (text.trimmed().isEmpty()) {
        return std::optional<base::Bytes>{};
    }
    const auto bytes = HIGHWATER_TRY(base::parseBytes(text.trimmed().toStdString()));
    return std::optional<base::Bytes>{bytes};
}

QString limitText(const std::optional<base::Bytes>& bytes) {
    if (!bytes) {
        return {};
    }
    const QString rounded = QString::fromStdString(base::formatBytes(*bytes));
    const auto same = parseLimit(rounded);
    return same && *same == bytes ? rounded : QString("%1 B").arg(*bytes);
}

}  // namespace highwater::desktop
