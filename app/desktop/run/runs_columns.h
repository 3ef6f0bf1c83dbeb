#pragma once

#include <QVariant>
#include <array>
#include <span>
#include <vector>

#include "app/desktop/run/run_row.h"
#include "widgets/theme/table_model.h"

/// What the columns of the table of runs say about a run, and about a study of several.
namespace highwater::desktop {

enum class RunColumn {
    Number,
    Name,
    Tags,
    Device,
    Batch,
    Patch,
    Peak,
    Step,
    Loss,
    Status,
    Note,
    Against,
    Created
};
inline constexpr int kRunColumns = static_cast<int>(RunColumn::Created) + 1;

struct RunColumnLook {
    widgets::Heading heading;
    int width;
    bool hidden;  ///< unless it is chosen
};
const RunColumnLook& lookOf(RunColumn column);

/// What a cell shows; the column Against is left to the model.
QString runText(const RunRow& row, RunColumn column);
/// What a column sorts by.
QVariant runOrder(const RunRow& row, RunColumn column);
QColor stateColor(wire::RunStatus state);

/// A study's row: what its runs have in common, and how far apart they are.
struct StudyTexts {
    std::array<QString, kRunColumns> text;
    std::array<QVariant, kRunColumns> order;
    wire::RunStatus state = wire::RunStatus::Done;  ///< running, if one is; else the worst
};
StudyTexts studyTexts(std::span<const RunRow* const> runs);

}  // namespace highwater::desktop
