#include "app/desktop/run/modules_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

enum Column { kModule, kActivations, kForward, kBackward, kParameters, kOutput, kColumns };
constexpr int kValue = Qt::UserRole, kName = Qt::UserRole + 1;
constexpr int kOpenedDepth = 2;  ///< levels that are open at first

/// Sorts by the value behind a cell's text, and by the order of the model where there is none.
class Row : public QTreeWidgetItem {
public:
    using QTreeWidgetItem::QTreeWidgetItem;
    bool operator<(const QTreeWidgetItem& other) const override {
        const int column = treeWidget() ? treeWidget()->sortColumn() : kModule;
        return data(column, kValue).toDouble() < other.data(column, kValue).toDouble();
    }
};

QString bytesOf(double bytes) {
    return bytes > 0 ? widgets::fromUtf8(base::formatBytes(static_cast<base::Bytes>(bytes))) : QString();
}

QString millisOf(double ms) {
    return ms > 0 ? widgets::fromUtf8(base::formatMillis(ms)) : QString();
}

QString countOf(double count) {
    return count > 0 ? QLocale(QLocale::English).toString(static_cast<qlonglong>(count)) : QString();
}

/// "12 MiB  −3 MiB"
QString withChange(double now, const double* before, QString (*text)(double)) {
    QString shown = text(now);
    if (before && now != *before) {
        const QString change = text(std::abs(now - *before));
        if (!change.isEmpty()) {
            shown += (now < *before ? QStringLiteral("  −") : QStringLiteral("  +")) + change;
        }
    }
    return shown;
}

}  // namespace

std::map<std::string, ModuleSum> sumsByModule(const std::vector<wire::LayerCost>& modules) {
    std::map<std::string, ModuleSum> sums;
    for (const wire::LayerCost& module : modules) {
        for (std::size_t end = 0; end != std::string::npos;) {
            end = module.name.find('.', end + 1);
            ModuleSum& sum = sums[module.name.substr(0, end)];
            sum.activations += module.activationBytes;
            sum.forward += module.forwardMs;
            sum.backward += module.backwardMs;
            sum.parameters += module.parameters;
        }
    }
    return sums;
}

ModulesPanel::ModulesPanel(QWidget* parent)
    : widgets::Panel(tr("Modules"), parent), tree_(new QTreeWidget), compare_(nullptr) {
    tree_->setObjectName("modules");
    tree_->setAccessibleName(tr("Modules of the model"));
    tree_->setColumnCount(kColumns);
    tree_->setHeaderLabels(
        {tr("module"), tr("activations"), tr("forward"), tr("backward"), tr("parameters"), tr("output")});
    const QStringList tips = {
        tr("The module's name in the model. Double-click: show it in the memory timeline"),
        tr("Memory that its forward pass kept for the backward pass, in the last traced step"),
        tr("Time of its forward pass, the median of the sampled steps"),
        tr("Time of its backward pass, the median of the sampled steps"),
        tr("Trainable and other parameters"),
        tr("Shape of its output")};
    for (int column = 0; column < kColumns; ++column) {
        tree_->headerItem()->setToolTip(column, tips[column]);
        const bool words = column == kModule || column == kOutput;
        tree_->headerItem()->setTextAlignment(column,
                                              (words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setItemDelegate(new widgets::FlatCells(tree_));
    tree_->setUniformRowHeights(true);
    tree_->setExpandsOnDoubleClick(false);
    tree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree_->header()->setSortIndicator(-1, Qt::DescendingOrder);
    tree_->setSortingEnabled(true);
    widgets::offerTable(*tree_, {tr("modules")});
    compare_ =
        widgets::linkButton({}, tr("Shows what has changed since the run that was shown before"), this);
    compare_->setCheckable(true);
    compare_->hide();
    auto* body = new QWidget;
    auto* rows = widgets::makeLayout<QVBoxLayout>(body, 0);
    auto* line = widgets::makeLayout<QHBoxLayout>(nullptr, 0, {10, 2, 10, 2});
    line->addWidget(compare_);
    line->addStretch(1);
    rows->addWidget(tree_, 1);
    rows->addLayout(line);
    setBody(body);
    connect(compare_, &QToolButton::toggled, this, &ModulesPanel::compare);
    connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (item->childCount() == 0) {
            emit moduleChosen(item->data(kModule, kName).toString());
        } else {
            item->setExpanded(!item->isExpanded());
        }
    });
}

void ModulesPanel::setRun(const std::string& id, const QString& title,
                          const std::vector<wire::LayerCost>& modules) {
    if (id != shown_.id) {
        before_ = std::move(shown_);
        comparing_ = false;
    }
    const bool same = id == shown_.id && modules == shown_.modules;
    shown_ = {id, title, modules};
    if (!same) {
        fill();
    }
}

void ModulesPanel::compare(bool on) {
    comparing_ = on;
    fill();
}

void ModulesPanel::fill() {
    std::set<QString> closed;
    for (QTreeWidgetItemIterator at(tree_); *at; ++at) {
        if ((*at)->childCount() > 0 && !(*at)->isExpanded()) {
            closed.insert((*at)->data(kModule, kName).toString());
        }
    }
    const bool fresh = tree_->topLevelItemCount() == 0;
    const auto sums = sumsByModule(shown_.modules);
    const auto sumsBefore = sumsByModule(before_.modules);
    const bool comparable =
        std::ranges::any_of(sumsBefore, [&](const auto& module) { return sums.contains(module.first); });
    compare_->setVisible(comparable);
    compare_->setText(tr("Compare with %1").arg(before_.title));
    const QSignalBlocker quiet(compare_);
    compare_->setChecked(comparing_ && comparable);
    setNote(shown_.title);

    tree_->setUpdatesEnabled(false);
    tree_->clear();
    std::map<std::string, QTreeWidgetItem*> rows;
    int place = 0;
    for (const wire::LayerCost& module : shown_.modules) {
        QTreeWidgetItem* parent = tree_->invisibleRootItem();
        for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
            end = module.name.find('.', begin);
            const std::string name = module.name.substr(0, end);
            QTreeWidgetItem*& row = rows[name];
            if (!row) {
                row = new Row(parent);
                row->setText(kModule, widgets::fromUtf8(module.name.substr(begin, end - begin)));
                row->setData(kModule, kName, widgets::fromUtf8(name));
                row->setData(kModule, kValue, place++);
                row->setToolTip(kModule, widgets::fromUtf8(name));
                const ModuleSum& sum = sums.at(name);
                const auto found = sumsBefore.find(name);
                const ModuleSum* before = comparing_ && found != sumsBefore.end() ? &found->second : nullptr;
                const auto set = [&](int column, double now, double then, QString (*text)(double)) {
                    row->setText(column, withChange(now, before ? &then : nullptr, text));
                    row->setData(column, kValue, now);
                    row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
                };
                const ModuleSum none;
                const ModuleSum& was = before ? *before : none;
                set(kActivations, static_cast<double>(sum.activations), static_cast<double>(was.activations),
                    bytesOf);
                set(kForward, sum.forward, was.forward, millisOf);
                set(kBackward, sum.backward, was.backward, millisOf);
                set(kParameters, static_cast<double>(sum.parameters), static_cast<double>(was.parameters),
                    countOf);
            }
            parent = row;
        }
        QTreeWidgetItem* leaf = rows[module.name];
        leaf->setText(kOutput, module.outputShape.empty()
                                   ? QString()
                                   : widgets::fromUtf8(base::formatShape(module.outputShape)));
        leaf->setToolTip(kOutput, widgets::fromUtf8(module.type));
        leaf->setText(kModule, leaf->text(kModule) + QStringLiteral("  ") + widgets::fromUtf8(module.type));
    }
    for (const auto& [name, row] : rows) {
        const auto depth = std::ranges::count(name, '.');
        row->setExpanded(fresh ? depth < kOpenedDepth : !closed.contains(widgets::fromUtf8(name)));
    }
    tree_->setUpdatesEnabled(true);
}

}  // namespace highwater::desktop

#include "moc_modules_panel.cpp"
