#include "widgets/timeline/stack_pane.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/stack_groups.h"
#include "widgets/timeline/trace_models.h"

namespace highwater::widgets {

namespace {

constexpr int kShownNames = 2;  // the last components of a path; the tooltip shows all of it

QString placeText(const memory::StackFrame& frame, const std::string& file) {
    const QString name = QString::fromStdString(file);
    return frame.line > 0 ? QStringLiteral("%1:%2").arg(name).arg(frame.line) : name;
}

}  // namespace

FramesModel::FramesModel(QObject* parent) : TableModel({{tr("function")}, {tr("file and line")}}, parent) {}

void FramesModel::setFrames(std::vector<memory::StackFrame> frames, int best) {
    best_ = best < 0 ? memory::StackFrame{} : frames[static_cast<std::size_t>(best)];
    resetRows(std::move(frames));
}

QString FramesModel::text(const memory::StackFrame& frame, int column) const {
    if (column == Function) {
        return QString::fromStdString(frame.function);
    }
    return frame.file == "??" ? QString() : placeText(frame, pathEnd(frame.file, kShownNames));
}

QVariant FramesModel::look(const memory::StackFrame& frame, int column, int role) const {
    if (role == Qt::ToolTipRole) {
        return column == Function ? text(frame, column) : placeText(frame, frame.file);
    }
    if (role == Qt::ForegroundRole) {
        return frame == best_    ? QVariant(theme().accent)
               : column == Place ? QVariant(theme().mutedText)
                                 : QVariant();
    }
    return {};
}

StackPane::StackPane(QWidget* parent) : QWidget(parent) {
    title_ = new ElidedLabel;
    note_ = new ElidedLabel;
    note_->setMuted(true);
    note_->setFont(smallFont(font()));
    copy_ = linkButton(tr("copy"), tr("Copy the whole call stack as text"), this);
    connect(copy_, &QToolButton::clicked, this, &StackPane::copy);
    frames_ = new FramesModel(this);
    table_ = makeFlatTable(frames_, tr("Call stack"), {170});
    table_->horizontalHeader()->setMinimumSectionSize(60);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    auto* head = new QWidget;
    head->setFixedHeight(44);
    auto* row = makeLayout<QHBoxLayout>(head, 6, {10, 4, 8, 4});
    auto* words = makeLayout<QVBoxLayout>(nullptr, 0);
    words->addWidget(title_);
    words->addWidget(note_);
    row->addLayout(words, 1);
    row->addWidget(copy_);
    auto* layout = makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(head);
    layout->addWidget(table_, 1);
    setMinimumWidth(140);
    hint_ = tr("Click an allocation to see the code that made it.");
    clear();
}

void StackPane::setHint(const QString& hint) {
    const bool shown = title_->text() == hint_;
    hint_ = hint;
    if (shown) {
        clear();
    }
}

void StackPane::clear() {
    title_->setText(hint_);
    title_->setMuted(true);
    note_->setText({});
    copy_->setVisible(false);
    frames_->setFrames({}, -1);
}

void StackPane::showStack(const QString& title, const QString& note, const memory::CallStacks* stacks,
                          std::int32_t stack) {
    std::vector<memory::StackFrame> frames;
    int best = -1;
    if (stacks && stacks->has(stack)) {
        for (const std::uint32_t frame : stacks->framesOf(stack)) {
            if (static_cast<std::int32_t>(frame) == stacks->stacks[static_cast<std::size_t>(stack)].best) {
                best = static_cast<int>(frames.size());
            }
            frames.push_back(stacks->frames[frame]);
        }
    }
    title_->setText(title);
    title_->setMuted(false);
    const bool missing = stacks && frames.empty();
    note_->setText(missing ? note + (note.isEmpty() ? "" : " · ") + tr("no call stack was recorded") : note);
    copy_->setVisible(true);
    frames_->setFrames(std::move(frames), best);
    if (best >= 0) {
        table_->doItemsLayout();  // otherwise the table does not yet know its scroll range
        table_->scrollTo(frames_->index(best, 0), QAbstractItemView::PositionAtCenter);
    }
}

QString StackPane::title() const {
    return title_->text();
}

QString StackPane::note() const {
    return note_->text();
}

QString StackPane::copyText() const {
    QStringList lines = {title_->text()};
    if (!note_->text().isEmpty()) {
        lines << note_->text();
    }
    for (const memory::StackFrame& frame : frames_->rows()) {
        const QString place = frame.file == "??" ? QString() : placeText(frame, frame.file);
        lines << "  " + QString::fromStdString(frame.function) + (place.isEmpty() ? "" : "  " + place);
    }
    return lines.join('\n') + '\n';
}

void StackPane::copy() const {
    QGuiApplication::clipboard()->setText(copyText());
}

}  // namespace highwater::widgets

#include "moc_stack_pane.cpp"
