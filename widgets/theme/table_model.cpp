#include "widgets/theme/table_model.h"

namespace highwater::widgets {

QVariant headingData(const std::vector<Heading>& headings, int column, Qt::Orientation orientation,
                     int role) {
    if (orientation != Qt::Horizontal || column < 0 || column >= static_cast<int>(headings.size())) {
        return {};
    }
    const Heading& heading = headings[static_cast<std::size_t>(column)];
    switch (role) {
        case Qt::DisplayRole:
            return heading.title;
        case Qt::ToolTipRole:
            return heading.tip;
        case Qt::TextAlignmentRole:
            return heading.alignment();
        default:
            return {};
    }
}

}  // namespace highwater::widgets
