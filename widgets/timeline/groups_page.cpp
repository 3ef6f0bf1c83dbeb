#include "widgets/timeline/groups_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_words.h"
#include "widgets/timeline/trace_models.h"

namespace highwater::widgets {

namespace {

std::vector<Heading> groupHeadings(const QString& name, const QString& otherName) {
    if (otherName.isEmpty()) {
        return {{QObject::tr("allocated by")},
                {QObject::tr("in use"), QObject::tr("Bytes in use at the chosen moment"), Qt::AlignRight},
                {QObject::tr("share"), QObject::tr("Share of all memory in use then"), Qt::AlignRight},
                {QObject::tr("allocations"), {}, Qt::AlignRight}};
    }
    const auto atPeak = [](const QString& whose) {
        return Heading{shortName(whose), QObject::tr("Bytes in use at the peak of %1").arg(whose),
                       Qt::AlignRight};
    };
    return {{QObject::tr("allocated by")},
            atPeak(name),
            atPeak(otherName),
            {QObject::tr("difference"),
             QObject::tr("How much more %1 has at its peak than %2").arg(name, otherName), Qt::AlignRight}};
}

}  // namespace

GroupsModel::GroupsModel(QObject* parent) : TableModel(groupHeadings({}, {}), parent) {}

void GroupsModel::setGroups(std::vector<GroupDifference> rows, const QString& name,
                            const QString& otherName) {
    beginResetModel();
    rows_ = std::move(rows);
    headings_ = groupHeadings(name, otherName);
    comparing_ = !otherName.isEmpty();
    total_ = 0;
    for (const GroupDifference& row : rows_) {
        total_ += row.here.bytes;
    }
    endResetModel();
}

double GroupsModel::value(const GroupDifference& row, int column) const {
    if (comparing_) {
        return static_cast<double>(column == 1   ? row.here.bytes
                                   : column == 2 ? row.other.bytes
                                                 : row.difference());
    }
    return static_cast<double>(column == 3 ? row.here.blocks : row.here.bytes);
}

QString GroupsModel::text(const GroupDifference& row, int column) const {
    if (column == 0) {
        return QString::fromStdString(row.name());
    }
    if (comparing_) {
        return column == 3 ? signedBytes(row.difference())
               : (column == 1 ? row.here : row.other).blocks == 0
                   ? QStringLiteral("—")
                   : bytesText(static_cast<base::Bytes>(value(row, column)));
    }
    if (column == 2) {
        const double share = total_ > 0 ? 100.0 * value(row, 1) / static_cast<double>(total_) : 0;
        return share > 0 && share < 0.1 ? tr("< 0.1 %") : tr("%1 %").arg(share, 0, 'f', 1);
    }
    return column == 3 ? countText(row.here.blocks) : bytesText(row.here.bytes);
}

QVariant GroupsModel::look(const GroupDifference& row, int column, int role) const {
    if (role == Qt::ToolTipRole) {
        return text(row, column);
    }
    if (role != Qt::ForegroundRole) {
        return {};
    }
    if (column == 0) {
        return (row.here.blocks > 0 ? row.here : row.other).stack < 0 ? QVariant(theme().mutedText)
                                                                      : QVariant();
    }
    if (!comparing_ || column != 3 || row.difference() == 0) {
        return {};
    }
    return row.difference() > 0 ? theme().warning : theme().good;
}

void GroupsModel::sort(int column, Qt::SortOrder order) {
    emit layoutAboutToBeChanged();
    std::ranges::stable_sort(rows_, [&](const GroupDifference& a, const GroupDifference& b) {
        const auto& first = order == Qt::AscendingOrder ? a : b;
        const auto& second = order == Qt::AscendingOrder ? b : a;
        if (column == 0) {
            return first.name() < second.name();
        }
        if (comparing_ && column == 3) {  // sort differences by magnitude
            return std::abs(value(first, 3)) < std::abs(value(second, 3));
        }
        return value(first, column) < value(second, column);
    });
    emit layoutChanged();
}

GroupsPage::GroupsPage(QWidget* parent) : QWidget(parent) {
    model_ = new GroupsModel(this);
    table_ = makeFlatTable(model_, tr("In use, by code"), {320, 150, 150, 120});
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->horizontalHeader()->setMinimumSectionSize(70);
    table_->horizontalHeader()->setSortIndicator(1, Qt::DescendingOrder);
    table_->setSortingEnabled(true);
    grouping_ = new QComboBox;
    grouping_->addItems({tr("file and line"), tr("function"), tr("module"), tr("whole stack")});
    grouping_->setAccessibleName(tr("Group by"));
    grouping_->setToolTip(
        tr("Grouping. Each allocation counts for the innermost frame of its call stack that is not PyTorch's "
           "own."));
    moment_ = new QComboBox;
    moment_->setAccessibleName(tr("Moment"));
    moment_->setToolTip(tr("A click in the timeline chooses a moment."));
    moment_->hide();
    groupingLabel_ = new QLabel(tr("by"));
    note_ = new ElidedLabel;
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    auto* strip = new QWidget;
    strip->setFixedHeight(34);
    auto* row = makeLayout<QHBoxLayout>(strip, 6, {10, 0, 8, 0});
    row->addWidget(groupingLabel_);
    row->addWidget(grouping_);
    row->addWidget(moment_);
    row->addWidget(note_, 1);
    auto* layout = makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(strip);
    layout->addWidget(table_, 1);
    connect(grouping_, &QComboBox::currentIndexChanged, this, &GroupsPage::groupingChanged);
    connect(moment_, &QComboBox::activated, this, &GroupsPage::momentChanged);
    const auto choose = [this](const QModelIndex& at) { emit groupChosen(model_->row(at.row())); };
    connect(table_, &QTableView::clicked, this, choose);
    connect(table_, &QTableView::activated, this, choose);
}

Grouping GroupsPage::grouping() const {
    return static_cast<Grouping>(std::max(0, grouping_->currentIndex()));
}

void GroupsPage::setGrouping(Grouping grouping) {
    grouping_->setCurrentIndex(static_cast<int>(grouping));
}

void GroupsPage::setGroupingOffered(bool offered) {
    grouping_->setVisible(offered);
    groupingLabel_->setVisible(offered);
}

void GroupsPage::setMoments(const QStringList& moments, int current) {
    const QSignalBlocker quiet(moment_);
    moment_->clear();
    moment_->addItems(moments);
    moment_->setCurrentIndex(current);
    moment_->setVisible(moments.size() > 1);
}

int GroupsPage::moment() const {
    return std::max(0, moment_->currentIndex());
}

void GroupsPage::setNote(const QString& note) {
    note_->setText(note);
}

QString GroupsPage::note() const {
    return note_->text();
}

void GroupsPage::setGroups(std::vector<GroupDifference> rows, const QString& name, const QString& otherName) {
    const bool compared = model_->comparing();
    model_->setGroups(std::move(rows), name, otherName);
    QHeaderView* header = table_->horizontalHeader();
    if (compared != model_->comparing()) {
        header->setSortIndicator(model_->comparing() ? 3 : 1, Qt::DescendingOrder);
    }
    for (int c = 1; c < model_->columnCount(); ++c) {
        header->resizeSection(c, model_->comparing() ? 168 : c == 2 ? 90 : 110);
    }
    model_->sort(header->sortIndicatorSection(), header->sortIndicatorOrder());
}

}  // namespace highwater::widgets

#include "moc_groups_page.cpp"
