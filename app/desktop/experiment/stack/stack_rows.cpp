#include "app/desktop/experiment/stack/stack_rows.h"

#include <QObject>
#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/layer_words.h"
#include "core/base/text.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

/// The first `count` layers in order of execution; a block that is cut keeps its first layers.
Layers firstLayers(const Layers& layers, int& count) {
    Layers out;
    for (const stack::Layer& layer : layers) {
        if (count <= 0) {
            break;
        }
        --count;
        stack::Layer copy = layer;
        if (auto* block = std::get_if<stack::Block>(&copy.op)) {
            block->layers = firstLayers(block->layers, count);
        }
        out.push_back(std::move(copy));
    }
    return out;
}

/// Removes blocks at the end that the cut left empty, because empty blocks are errors themselves.
void dropEmptyTail(Layers& layers) {
    while (!layers.empty()) {
        auto* block = std::get_if<stack::Block>(&layers.back().op);
        if (!block) {
            return;
        }
        dropEmptyTail(block->layers);
        if (!block->layers.empty()) {
            return;
        }
        layers.pop_back();
    }
}

/// The known shapes of an invalid experiment: those before the layer at fault; all if the fault is outside
/// the stack.
std::vector<stack::LayerInfo> shapesBefore(stack::Experiment experiment, int badNumber) {
    experiment.loss = stack::Loss::Mean;
    experiment.target = stack::Target{};
    if (badNumber > 0) {
        int count = badNumber - 1;
        experiment.stack = firstLayers(experiment.stack, count);
        dropEmptyTail(experiment.stack);
    }
    if (experiment.stack.empty()) {
        return {};
    }
    auto info = stack::inferShapes(experiment);
    if (!info) {
        return {};
    }
    return std::move(info->layers);
}

QString shapeText(const stack::Shape& shape) {
    if (shape.size() < 2) {
        return {};
    }
    return QString::fromStdString(base::formatShapeShort(std::span(shape).subspan(1)));
}

void fillShapes(StackRows& out, const std::vector<stack::LayerInfo>& infos, int badNumber) {
    const std::size_t known = std::min(infos.size(), out.rows.size());
    for (std::size_t i = 0; i < known; ++i) {
        StackRow& row = out.rows[i];
        row.input = shapeText(infos[i].input);
        row.parameters = infos[i].parameters;
        const bool cut = badNumber > 0 && row.block && i + 1 < out.rows.size() &&
                         badNumber - 1 < static_cast<int>(out.rows.size()) &&
                         out.rows[badNumber - 1].path.size() > row.path.size() &&
                         std::equal(row.path.begin(), row.path.end(), out.rows[badNumber - 1].path.begin());
        if (cut) {
            continue;
        }
        row.shape = shapeText(infos[i].output);
        row.bytes = infos[i].newBytes;
    }
}

QString text(base::Bytes bytes) {
    return QString::fromStdString(base::formatBytes(bytes));
}

QString text(const predict::Estimate& estimate) {
    return estimate.exact() ? text(estimate.expected)
                            : QObject::tr("%1 (%2 to %3)")
                                  .arg(text(estimate.expected), text(estimate.low), text(estimate.high));
}

void fillForecast(StackRows& out, const predict::Prediction& prediction) {
    if (prediction.layers.size() != out.rows.size()) {
        return;
    }
    for (std::size_t i = 0; i < out.rows.size(); ++i) {
        const predict::LayerPrediction& layer = prediction.layers[i];
        StackRow& row = out.rows[i];
        row.predicted = true;
        row.bytes = layer.activationBytes;
    }
    for (const predict::Cliff& cliff : prediction.cliffs) {
        if (cliff.layer < 0 || cliff.layer >= static_cast<int>(out.rows.size())) {
            continue;
        }
        QString& lines = out.rows[static_cast<std::size_t>(cliff.layer)].cliff;
        lines += (lines.isEmpty() ? QString() : QString('\n')) + QString::fromStdString(cliff.message);
        if (const QString safe = safeSizesText(cliff); !safe.isEmpty()) {
            lines += '\n' + safe;
        }
    }
}

/// Computes the bars, once all bytes are known.
void fillShares(StackRows& out) {
    base::Bytes most = 1;
    for (const StackRow& row : out.rows) {
        most = std::max(most, row.bytes);
    }
    for (StackRow& row : out.rows) {
        row.share = std::max(0.0, static_cast<double>(row.bytes) / static_cast<double>(most));
    }
}

int spatialAxes(const stack::Experiment& experiment) {
    const auto shape = stack::inputShape(experiment);
    return shape ? static_cast<int>(shape->size()) - 2 : 0;
}

}  // namespace

QString layerForecastText(const predict::LayerPrediction& layer, base::Bytes peak) {
    const double share = static_cast<double>(layer.atPeak) / std::max(1.0, static_cast<double>(peak));
    QStringList lines;
    lines << QObject::tr("adds %1 to activations").arg(text(layer.activationBytes));
    lines << QObject::tr("holds %1 at the peak, %2 % of it")
                 .arg(text(layer.atPeak))
                 .arg(share * 100, 0, 'f', 1);
    lines << QObject::tr("added while it runs: forward %1, backward %2")
                 .arg(text(layer.forwardBytes), text(layer.backwardBytes));
    if (layer.forwardMs.expected > 0 || layer.backwardMs.expected > 0) {
        lines << QObject::tr("time, estimate: forward %1, backward %2")
                     .arg(QString::fromStdString(base::formatMillis(layer.forwardMs.expected)),
                          QString::fromStdString(base::formatMillis(layer.backwardMs.expected)));
    }
    return lines.join('\n');
}

QString safeSizesText(const predict::Cliff& cliff) {
    QStringList axes;
    for (const auto& [axis, values] : cliff.safe) {
        QStringList sizes;
        for (const std::int64_t value : values) {
            sizes << QString::number(value);
        }
        if (!sizes.isEmpty()) {
            axes << QString::fromStdString(axis).replace('_', ' ') + ' ' + sizes.join(QObject::tr(" or "));
        }
    }
    return axes.isEmpty() ? QString() : QObject::tr("safe: %1").arg(axes.join("; "));
}

StackRows stackRows(const stack::Experiment& experiment, const base::Result<stack::StackInfo>& info,
                    const predict::Prediction* prediction) {
    StackRows out;
    const int dims = spatialAxes(experiment);
    for (const Path& path : allPaths(experiment.stack)) {
        const stack::Layer& layer = *layerAt(experiment.stack, path);
        StackRow row;
        row.path = path;
        row.number = static_cast<int>(out.rows.size()) + 1;
        row.type = widgets::fromUtf8(stack::typeName(layer.op));
        row.options = optionsInWords(layer, dims,
                                     experiment.step.checkpoint.kind == stack::Checkpointing::Kind::Blocks);
        row.block = std::holds_alternative<stack::Block>(layer.op);
        out.rows.push_back(std::move(row));
    }
    if (info) {
        out.parameters = info->parameters;
        fillShapes(out, info->layers, 0);
        if (prediction) {
            fillForecast(out, *prediction);
        }
        fillShares(out);
        return out;
    }
    out.error = QString::fromStdString(info.error().message);
    const int bad = layerNamedBy(out.error);
    if (bad >= 0 && bad < static_cast<int>(out.rows.size())) {
        out.badRow = bad;
        out.rows[static_cast<std::size_t>(bad)].bad = true;
    }
    fillShapes(out, shapesBefore(experiment, out.badRow + 1), out.badRow + 1);
    fillShares(out);
    return out;
}

}  // namespace highwater::desktop
