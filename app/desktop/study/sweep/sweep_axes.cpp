#include "app/desktop/study/sweep/sweep_axes.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/controls/search_popup.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

void mark(QWidget& field, bool bad, const QString& tip) {
    field.setToolTip(tip);
    if (field.property("invalid").toBool() != bad) {
        widgets::setLook(field, "invalid", bad);
    }
}

/// An axis given as a JSON Pointer has no name yet; it gets one when the sweep is made.
bool isWritten(const SweepAxisEdit& axis) {
    return axis.toggle.isEmpty() && axis.name.isEmpty();
}

}  // namespace

SweepAxes::SweepAxes(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget(this);
    column_ = widgets::makeLayout<QVBoxLayout>(body, 9, {12, 8, 12, 8});
    hint_ = new QLabel(tr("Add parameters to vary: every combination of their values is a cell."), body);
    hint_->setWordWrap(true);
    hint_->setProperty("muted", true);
    column_->addWidget(hint_);
    column_->addStretch(1);
    setWidget(body);
}

void SweepAxes::setAxes(std::vector<SweepAxisEdit> axes) {
    if (axes == axes_ && rows_.size() == axes.size()) {
        return;
    }
    axes_ = std::move(axes);
    build();
}

void SweepAxes::add(SweepAxisEdit axis) {
    axes_.push_back(std::move(axis));
    build();
    const Row& row = rows_.back();
    if (QLineEdit* field = row.path ? row.path : row.values) {
        field->setFocus();
        field->selectAll();
    }
    emit changed();
}

void SweepAxes::addOrEdit(const SweepAxisEdit& axis) {
    const auto same = std::ranges::find(axes_, axis.paths, &SweepAxisEdit::paths);
    if (same == axes_.end()) {
        add(axis);
    } else if (QLineEdit* const values = valuesOf(static_cast<int>(same - axes_.begin()))) {
        values->setFocus();
        values->selectAll();
    }
}

void SweepAxes::removeAxis(std::size_t axis) {
    axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(axis));
    build();
    emit changed();
}

void SweepAxes::build() {
    for (const Row& row : rows_) {
        column_->removeWidget(row.widget);
        row.widget->hide();
        row.widget->deleteLater();  // the sender of the current signal may be one of its buttons
    }
    rows_.clear();
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        rows_.push_back(makeRow(axis));
        column_->insertWidget(static_cast<int>(axis) + 1, rows_.back().widget);
        rows_.back().widget->show();  // the layout would do so later, and what is hidden takes no focus
    }
    hint_->setVisible(axes_.empty());
    setLocked(locked_);
    orderTabs();
}

/// In reading order, except that an axis's remove button comes after its fields: otherwise Tab would lead
/// there first, and a space typed for a value would press it.
void SweepAxes::orderTabs() {
    QWidget* before = this;
    for (const Row& row : rows_) {
        for (QWidget* next :
             {static_cast<QWidget*>(row.path), static_cast<QWidget*>(row.values), row.remove}) {
            if (next != nullptr) {
                setTabOrder(std::exchange(before, next), next);
            }
        }
    }
}

SweepAxes::Row SweepAxes::makeRow(std::size_t axis) {
    const SweepAxisEdit& of = axes_[axis];
    Row row;
    row.widget = new QWidget(widget());
    auto* column = widgets::makeLayout<QVBoxLayout>(row.widget, 3);
    auto* head = widgets::makeLayout<QHBoxLayout>(nullptr, 4);
    if (isWritten(of)) {
        row.path = new QLineEdit(of.paths.value(0), row.widget);
        row.path->setObjectName(QStringLiteral("Path %1").arg(axis));
        row.path->setPlaceholderText(QStringLiteral("/step/batch_size"));
        row.path->setAccessibleName(tr("JSON Pointer of axis %1").arg(axis + 1));
        head->addWidget(row.path, 1);
        connect(row.path, &QLineEdit::textEdited, this, [this, axis](const QString& path) {
            axes_[axis].paths = {path};
            emit changed();
        });
    } else {
        auto* name = new widgets::ElidedLabel(row.widget);
        name->setText(of.name.isEmpty() ? of.toggle : of.name);
        head->addWidget(name, 1);
    }
    auto* remove = new QToolButton(row.widget);
    remove->setText(QStringLiteral("×"));
    remove->setProperty("slim", true);
    remove->setObjectName(QStringLiteral("Remove %1").arg(axis));
    remove->setAccessibleName(tr("Remove the axis %1").arg(of.name));
    remove->setToolTip(tr("Remove this axis"));
    connect(remove, &QToolButton::clicked, this, [this, axis] { removeAxis(axis); });
    head->addWidget(remove);
    column->addLayout(head);
    if (of.toggle.isEmpty()) {
        row.values = new QLineEdit(of.values, row.widget);
        row.values->setCursorPosition(0);  // so that the first values are visible
        row.values->setObjectName(QStringLiteral("Values %1").arg(axis));
        row.values->setAccessibleName(tr("Values of %1").arg(of.name));
        row.values->setPlaceholderText(tr("values, such as 1, 2, 4"));
        column->addWidget(row.values);
        connect(row.values, &QLineEdit::textEdited, this, [this, axis](const QString& values) {
            axes_[axis].values = values;
            emit changed();
        });
    } else {
        auto* levels = new QLabel(tr("off, on"), row.widget);
        levels->setProperty("muted", true);
        column->addWidget(levels);
    }
    row.remove = remove;
    return row;
}

void SweepAxes::setProblem(int axis, const QString& problem) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const bool bad = static_cast<int>(i) == axis;
        const QString where = axes_[i].paths.join(", ");
        for (QLineEdit* field : {rows_[i].path, rows_[i].values}) {
            if (field != nullptr) {
                mark(*field, bad, bad ? problem : where);
            }
        }
    }
}

void SweepAxes::setLocked(bool locked) {
    locked_ = locked;
    for (const Row& row : rows_) {
        row.widget->setEnabled(!locked);
    }
}

QLineEdit* SweepAxes::valuesOf(int axis) const {
    return rows_.at(static_cast<std::size_t>(axis)).values;
}

QLineEdit* SweepAxes::pathOf(int axis) const {
    return rows_.at(static_cast<std::size_t>(axis)).path;
}

AxesPanel::AxesPanel(const QString& title, QWidget* parent)
    : widgets::Panel(title, parent),
      axes_(new SweepAxes(this)),
      add_(widgets::linkButton(tr("add…"), tr("Add any field of the experiment as an axis"), this)),
      list_(new widgets::SearchPopup(tr("A field, such as: conv kernel"), this)) {
    setBody(axes_);
    add_->setObjectName("add axis");
    addHeaderWidget(add_);
    connect(add_, &QToolButton::clicked, this, [this] {
        emit offersWanted();
        list_->openBelow(*add_);
    });
    connect(list_, &widgets::SearchPopup::taken, this, [this](int entry) {
        if (const auto at = static_cast<std::size_t>(entry); at < offers_.size()) {
            return axes_->add(offers_[at].axis);
        }
        const QString typed = list_->typed();
        axes_->add({{}, typed.startsWith('/') ? QStringList{typed} : QStringList(), {}, {}});
    });
}

void AxesPanel::setOffers(std::vector<SweepOffer> offers) {
    offers_ = std::move(offers);
    std::vector<widgets::SearchPopup::Entry> entries;
    for (const SweepOffer& offer : offers_) {
        entries.push_back({offer.title,
                           offer.whyNot.isEmpty() ? offer.tip : tr("Not available: %1").arg(offer.whyNot),
                           offer.whyNot.isEmpty()});
    }
    entries.push_back({tr("Any value, by its JSON Pointer"), tr("Such as /optimizer/lr"), true, true});
    list_->setEntries(entries);
}

}  // namespace highwater::desktop

#include "moc_sweep_axes.cpp"
