#include "app/desktop/run/runs_cells.h"

#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>

#include "app/desktop/run/runs_model.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kPencil = 22, kMore = 12;

void drawPencil(QPainter& painter, const QRect& place, const QColor& ground) {
    painter.fillRect(place.adjusted(0, 0, 0, -1), ground);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(QPointF(place.center()) + QPointF(0.5, 0.5));
    painter.rotate(45);
    painter.setPen(QPen(widgets::theme().mutedText, 1.2));
    QPainterPath pencil;
    pencil.addRect(-2, -6.5, 4, 9.5);
    pencil.moveTo(-2, 3);
    pencil.lineTo(0, 6.5);
    pencil.lineTo(2, 3);
    painter.drawPath(pencil);
    painter.restore();
}

/// Draws as many labels as fit, then "…".
void drawTags(QPainter& painter, const QRect& cell, const QStringList& tags, const QFont& font) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(widgets::smallFont(font));
    const QFontMetrics metrics(painter.font());
    const int height = metrics.height() + 2;
    int left = cell.left() + 8;
    for (qsizetype i = 0; i < tags.size(); ++i) {
        const QString& tag = tags[i];
        const int rest = i + 1 < tags.size() ? kMore : 0;  // for the "…" that stands for the following labels
        const int room = cell.right() - 4 - left - rest;
        const int width = std::min(metrics.horizontalAdvance(tag) + 12, room);
        if (room < 24) {
            painter.setPen(widgets::theme().mutedText);
            painter.drawText(QRect(left, cell.top(), kMore, cell.height()), Qt::AlignVCenter,
                             QStringLiteral("…"));
            break;
        }
        const QRect label(left, cell.center().y() - height / 2, width, height);
        QColor ground = widgets::theme().accent;
        ground.setAlphaF(0.22F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ground);
        painter.drawRoundedRect(label, 4, 4);
        painter.setPen(widgets::theme().text);
        painter.drawText(label, Qt::AlignCenter,
                         metrics.elidedText(tag, Qt::ElideRight, std::max(8, label.width() - 8)));
        left += width + 4;
    }
    painter.restore();
}

}  // namespace

QRect RunsCells::pencilIn(const QRect& cell) {
    return {cell.right() - kPencil + 1, cell.top(), kPencil, cell.height()};
}

void RunsCells::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QStringList tags = index.data(RunsModel::kTagsRole).toStringList();
    const QColor ground =
        option.state & QStyle::State_Selected ? widgets::theme().selection : widgets::theme().window;
    const bool pencil =
        hovered_ == index && index.flags() & Qt::ItemIsEditable && option.rect.width() > 2 * kPencil;
    if (tags.isEmpty()) {
        QStyleOptionViewItem cell = option;
        if (static_cast<RunColumn>(index.column()) == RunColumn::Name) {
            cell.textElideMode = Qt::ElideMiddle;  // names of one study differ at their ends
        }
        widgets::FlatCells::paint(painter, cell, index);
    } else {
        painter->fillRect(option.rect, ground);
        painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1,
                          widgets::theme().border);
        drawTags(*painter, option.rect.adjusted(0, 0, pencil ? -kPencil : 0, 0), tags, option.font);
    }
    if (pencil) {
        drawPencil(*painter, pencilIn(option.rect), ground);
    }
}

QSize RunsCells::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return {widgets::FlatCells::sizeHint(option, index).width(), option.fontMetrics.height() + 11};
}

QWidget* RunsCells::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                 const QModelIndex& index) const {
    auto* field = new QLineEdit(parent);
    switch (static_cast<RunColumn>(index.column())) {
        case RunColumn::Tags:
            field->setPlaceholderText(tr("words, such as: paper baseline"));
            field->setAccessibleName(tr("Tags of the run"));
            break;
        case RunColumn::Note:
            field->setAccessibleName(tr("Note about the run"));
            break;
        default:
            field->setPlaceholderText(tr("the experiment's name"));
            field->setAccessibleName(tr("Name of the run"));
    }
    return field;
}

/// In a narrow cell, the editor is wider than the cell.
void RunsCells::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                     const QModelIndex&) const {
    constexpr int kLeast = 220;
    QRect place = option.rect;
    place.setWidth(std::max(place.width(), kLeast));
    if (const QWidget* parent = editor->parentWidget(); parent && place.right() > parent->width()) {
        place.moveRight(parent->width() - 1);
        place.setLeft(std::max(0, place.left()));
    }
    editor->setGeometry(place);
}

}  // namespace highwater::desktop

#include "moc_runs_cells.cpp"
