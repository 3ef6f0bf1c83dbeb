#include "app/desktop/prediction/differences.h"

#include "core/base/text.h"
#include "core/wire/gpu_words.h"
#include "widgets/plot/plot_values.h"

namespace highwater::desktop {

namespace {

QString unmeasured(bool gpu) {
    return gpu ? QStringLiteral("workspace neither measured on this GPU nor answered by cuDNN, a guess")
               : QStringLiteral("this shape is not calibrated, a guess");
}

/// Figures derived from rules are exact; only temporaries and time can differ.
QString whyOf(const predict::LayerPrediction& layer, const Difference& row, bool gpu) {
    const bool guessed = !layer.forwardBytes.exact() || !layer.backwardBytes.exact();
    if (guessed) {
        return "temporaries: " + unmeasured(gpu);
    }
    if (layer.asked) {
        return QStringLiteral("workspace asked of cuDNN, the rest by rule");
    }
    if (row.residual() && *row.residual() != 0) {
        return "counted as temporaries or shared with another layer";
    }
    return row.residual() ? QStringLiteral("by rule, equal to the byte") : QStringLiteral("by rule");
}

QString categoryWhy(memory::Category c, const predict::Prediction& prediction, const Difference& row,
                    bool gpu) {
    const bool passing = c == memory::Category::Temporaries || c == memory::Category::Workspace;
    if (passing && prediction.withoutRow > 0) {
        return QStringLiteral("%1 of %2 convolution passes: %3")
            .arg(prediction.withoutRow)
            .arg(prediction.convolutions)
            .arg(unmeasured(gpu));
    }
    if (row.residual() && *row.residual() != 0 && !prediction.peakAllocated.exact()) {
        return QStringLiteral("the peak occurs at a different moment than predicted");
    }
    return row.residual() == base::Bytes{0} ? QStringLiteral("equal to the byte") : QString();
}

/// The figures of a GPU as in the gauge: the allocator's segments, which contain the tensors.
Difference reservedRow(const predict::Prediction& p, const wire::RunResult* measured) {
    Difference row;
    row.kind = Difference::Kind::Total;
    row.name = QStringLiteral("peak reserved");
    row.predicted = p.peakReserved.expected;
    if (measured != nullptr && measured->peakReserved > 0) {
        row.measured = measured->peakReserved;
    }
    row.why = QStringLiteral("device memory that PyTorch's allocator reserves for the tensors");
    return row;
}

void addPeak(std::vector<Difference>& out, const predict::Prediction& p, const wire::RunResult* measured,
             bool gpu) {
    Difference peak;
    peak.kind = Difference::Kind::Total;
    peak.name = QStringLiteral("peak");
    peak.predicted = p.peakAllocated.expected;
    if (measured != nullptr && measured->peakAllocated > 0) {
        peak.measured = measured->peakAllocated;
    }
    if (!p.peakAllocated.exact()) {
        peak.why = QStringLiteral("an estimate, from %1 to %2")
                       .arg(QString::fromStdString(base::formatBytes(p.peakAllocated.low)),
                            QString::fromStdString(base::formatBytes(p.peakAllocated.high)));
    }
    if (p.stepMs.expected > 0) {
        peak.predictedMs = p.stepMs.expected;
    }
    if (measured != nullptr && measured->stepMs.n > 0) {
        peak.measuredMs = measured->stepMs.median;
    }
    out.push_back(peak);
    if (gpu && p.peakReserved.expected > 0) {
        out.push_back(reservedRow(p, measured));
    }
    for (const memory::Category c : memory::kCategories) {
        Difference row;
        row.name = widgets::categoryName(c);
        row.predicted = p.peakByCategory[c];
        if (peak.measured) {
            row.measured = measured->peakByCategory[c];
        }
        if (*row.predicted == 0 && row.measured.value_or(0) == 0) {
            continue;
        }
        row.why = categoryWhy(c, p, row, gpu);
        out.push_back(std::move(row));
    }
}

bool sameLayers(const stack::StackInfo& info, const wire::RunResult& measured) {
    if (info.layers.size() != measured.layers.size()) {
        return false;
    }
    for (std::size_t i = 0; i < info.layers.size(); ++i) {
        if (info.layers[i].name != measured.layers[i].name) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<Difference> differences(const predict::Prediction& prediction, const stack::StackInfo& info,
                                    const wire::RunResult* measured, bool gpu) {
    std::vector<Difference> out;
    out.push_back({Difference::Kind::Heading, QStringLiteral("The step")});
    addPeak(out, prediction, measured, gpu);
    out.push_back({Difference::Kind::Heading, QStringLiteral("Layers: what forward adds to activations")});
    const bool layers = measured != nullptr && sameLayers(info, *measured);
    for (std::size_t i = 0; i < info.layers.size() && i < prediction.layers.size(); ++i) {
        const predict::LayerPrediction& p = prediction.layers[i];
        Difference row;
        row.kind = info.layers[i].type == "block" ? Difference::Kind::Total : Difference::Kind::Part;
        row.name = QString::fromStdString(info.layers[i].name);
        row.layer = static_cast<int>(i);
        row.predicted = p.activationBytes;
        if (p.forwardMs.expected + p.backwardMs.expected > 0) {
            row.predictedMs = p.forwardMs.expected + p.backwardMs.expected;
        }
        if (layers) {
            const wire::LayerCost& cost = measured->layers[i];
            row.measured = cost.activationBytes;
            if (cost.forwardMs + cost.backwardMs > 0) {
                row.measuredMs = cost.forwardMs + cost.backwardMs;
            }
            row.workspace = wire::workspaceOf(*measured, static_cast<int>(i));
        }
        row.why = whyOf(p, row, gpu);
        out.push_back(std::move(row));
    }
    return out;
}

}  // namespace highwater::desktop
