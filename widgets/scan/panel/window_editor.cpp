#include "widgets/scan/panel/window_editor.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <cmath>

#include "widgets/scan/panel/popup.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

std::optional<double> typedNumber(const QString& text) {
    bool ok = false;
    const double value = text.trimmed().replace(QChar(0x2212), '-').toDouble(&ok);
    if (!ok || !std::isfinite(value)) {
        return {};
    }
    return value;
}

WindowEditor::WindowEditor(ScanScene& scene, QWidget* parent)
    : QFrame(parent, Qt::Popup), scene_(scene), width_(new QLineEdit), level_(new QLineEdit) {
    setObjectName("windowEditor");
    setFrameShape(QFrame::StyledPanel);
    auto* const layout = new QGridLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    const auto add = [&](int row, const QString& name, QLineEdit* edit, const char* objectName) {
        auto* const label = new QLabel(name);
        label->setBuddy(edit);
        edit->setObjectName(objectName);
        edit->setAccessibleName(name);
        edit->setFixedWidth(90);
        layout->addWidget(label, row, 0);
        layout->addWidget(edit, row, 1);
        connect(edit, &QLineEdit::textChanged, this, &WindowEditor::check);
        connect(edit, &QLineEdit::returnPressed, this, &WindowEditor::apply);
    };
    add(0, tr("Window width (W)"), width_, "windowWidth");
    add(1, tr("Level (L)"), level_, "windowLevel");
    auto* const note = new QLabel(tr("Enter applies them; use a decimal point."));
    note->setProperty("muted", true);
    layout->addWidget(note, 2, 0, 1, 2);
}

void WindowEditor::open(const QWidget* under) {
    const auto text = [](double value) { return QString::number(value, 'g', 7); };
    width_->setText(text(scene_.window().width()));
    level_->setText(text(scene_.window().level()));
    openPopup(this, under);
    width_->setFocus();
    width_->selectAll();
}

bool WindowEditor::check() {
    const auto mark = [](QLineEdit* edit, bool good) {
        QPalette palette = edit->palette();
        palette.setColor(QPalette::Text, good ? theme().text : theme().bad);
        edit->setPalette(palette);
        return good;
    };
    const auto width = typedNumber(width_->text());
    const bool goodWidth = mark(width_, width && *width > 0);
    width_->setToolTip(goodWidth ? QString() : tr("a number above 0, such as 400 or 0.5"));
    const bool goodLevel = mark(level_, typedNumber(level_->text()).has_value());
    level_->setToolTip(goodLevel ? QString() : tr("a number, such as 40 or -600"));
    return goodWidth && goodLevel;
}

void WindowEditor::apply() {
    if (!check()) {
        return;
    }
    scene_.setWindow(volume::Window::fromLevel(*typedNumber(level_->text()), *typedNumber(width_->text())));
    close();
}

}  // namespace highwater::widgets

#include "moc_window_editor.cpp"
