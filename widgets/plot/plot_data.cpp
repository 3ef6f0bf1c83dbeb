#include "widgets/plot/plot_data.h"

#include <numeric>

#include "widgets/plot/plot_menu.h"

namespace highwater::widgets {
namespace {

QStringList categoryHeads(QStringList first) {
    for (const memory::Category c : memory::kCategories) {
        first << categoryName(c) + " (bytes)";
    }
    return first << "total (bytes)";
}

void addLedger(QStringList& row, const memory::Ledger& ledger) {
    for (const memory::Category c : memory::kCategories) {
        row << QString::number(ledger[c]);
    }
    row << QString::number(ledger.total());
}

QStringList stepCells(const RunShape& run, const StepBar& step) {
    return {QString::number(run.stepPosition(step.index)), step.warmup ? "yes" : "no"};
}

}  // namespace

QString memoryData(const MemoryTrack& track) {
    std::vector<QStringList> table = {categoryHeads({track.timed ? "time (ms)" : "event"})};
    table.front() << "reserved (bytes)";
    for (const MemoryPoint& point : track.points) {
        QStringList row{exactly(point.ms)};
        addLedger(row, point.ledger);
        table.push_back(row << (point.reserved > 0 ? QString::number(point.reserved) : QString()));
    }
    return tabbed(table);
}

QString peakData(const RunShape& run, std::span<const StepBar> steps) {
    std::vector<QStringList> table = {categoryHeads({"step", "warm-up"})};
    for (const StepBar& step : steps) {
        table.push_back(stepCells(run, step));
        addLedger(table.back(), step.peak);
    }
    return tabbed(table);
}

QString timeData(const RunShape& run, std::span<const StepBar> steps) {
    std::vector<QStringList> table = {{"step", "warm-up"}};
    for (int phase = 0; phase < kPhaseCount; ++phase) {
        table.front() << phaseName(phase) + " (ms)";
    }
    table.front() << "total (ms)";
    for (const StepBar& step : steps) {
        table.push_back(stepCells(run, step));
        for (const double ms : step.phaseMs) {
            table.back() << exactly(ms);
        }
        table.back() << exactly(std::accumulate(step.phaseMs.begin(), step.phaseMs.end(), 0.0));
    }
    return tabbed(table);
}

}  // namespace highwater::widgets
