#pragma once

#include <QVariant>
#include <array>
#include <span>

#include "app/desktop/run/run_row.h"
#include "widgets/theme/table_model.h"

/// The columns of the table of runs: their text for a run, and for a study of several runs.
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
    bool hidden;  ///< by default
};
const RunColumnLook& lookOf(RunColumn column);

/// The text of a cell; the model provides that of the column Against.
QString runText(const RunRow& row, RunColumn column);
/// Whether the run has a text or figure in that column.
bool hasText(const RunRow& row, RunColumn column);
/// The value that a column is sorted by.
QVariant runOrder(const RunRow& row, RunColumn column);
QColor stateColor(wire::RunStatus state);

/// A study's row: what its runs have in common, and their ranges.
struct StudyTexts {
    std::array<QString, kRunColumns> text;
    std::array<QVariant, kRunColumns> order;
    wire::RunStatus state = wire::RunStatus::Done;  ///< running if any run is; otherwise the worst state
};
StudyTexts studyTexts(std::span<const RunRow* const> runs);

}  // namespace highwater::desktop
