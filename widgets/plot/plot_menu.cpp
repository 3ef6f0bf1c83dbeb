#include "widgets/plot/plot_menu.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>

#include "widgets/controls/last_folder.h"
#include "widgets/plot/picture.h"

namespace highwater::widgets {
namespace {

constexpr auto kPictureFolder = "files/pictureFolder";

/// Shows a view's actions as a menu, after a click of the right button or at the menu key.
class ActionsAtClick : public QObject {
public:
    explicit ActionsAtClick(QWidget& view) : QObject(&view), view_(view) {}
    bool eventFilter(QObject*, QEvent* event) override {
        switch (event->type()) {
            case QEvent::MouseButtonPress:
                pressed_ = static_cast<QMouseEvent*>(event)->position().toPoint();
                return false;
            case QEvent::MouseButtonRelease:
                if (const auto* mouse = static_cast<QMouseEvent*>(event);
                    mouse->button() == Qt::RightButton &&
                    (mouse->position().toPoint() - pressed_).manhattanLength() <
                        QApplication::startDragDistance()) {
                    showSoon(mouse->globalPosition().toPoint());
                }
                return false;
            case QEvent::ContextMenu: {
                const auto* menu = static_cast<QContextMenuEvent*>(event);
                if (menu->reason() == QContextMenuEvent::Keyboard) {
                    showSoon(view_.mapToGlobal(view_.rect().center()));
                }
                return true;
            }
            default:
                return false;
        }
    }

private:
    /// After the view has handled the event.
    void showSoon(const QPoint& at) {
        QMetaObject::invokeMethod(
            &view_, [this, at] { QMenu::exec(view_.actions(), at, nullptr, &view_); }, Qt::QueuedConnection);
    }
    QWidget& view_;
    QPoint pressed_;
};

void copyPicture(QWidget& view) {
    QApplication::clipboard()->setPixmap(pictureOf(view));
}

void savePictureAs(QWidget& chart, const QString& name, PictureKind kind = PictureKind::Drawing) {
    const QString png = QObject::tr("PNG picture (*.png)"), svg = QObject::tr("SVG drawing (*.svg)"),
                  pdf = QObject::tr("PDF page (*.pdf)");
    const QStringList kinds = kind == PictureKind::Pixels ? QStringList{png} : QStringList{png, svg, pdf};
    QString chosen;
    QString path = QFileDialog::getSaveFileName(&chart, QObject::tr("Save picture"),
                                                lastFolder(kPictureFolder) + '/' + name + ".png",
                                                kinds.join(";;"), &chosen);
    if (path.isEmpty()) {
        return;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += chosen == svg ? ".svg" : chosen == pdf ? ".pdf" : ".png";
    }
    QSettings().setValue(kPictureFolder, QFileInfo(path).absolutePath());
    if (const auto saved = savePicture(chart, path); !saved) {
        QMessageBox::warning(&chart, QObject::tr("Save picture"),
                             QString::fromStdString(saved.error().message));
    }
}

}  // namespace

std::unique_ptr<QMenu> makePlotMenu(const PlotActions& actions) {
    auto menu = std::make_unique<QMenu>(&actions.chart);
    QWidget* const chart = &actions.chart;
    menu->addAction(QObject::tr("Copy picture"), chart, [chart] { copyPicture(*chart); });
    menu->addAction(QObject::tr("Copy data"), chart,
                    [data = actions.data] { QApplication::clipboard()->setText(data()); });
    menu->addAction(QObject::tr("Save picture…"), chart,
                    [chart, name = actions.name] { savePictureAs(*chart, name); });
    menu->addSeparator();
    menu->addAction(QObject::tr("Reset view"), chart, actions.reset);
    return menu;
}

void offerPicture(QWidget& view, const QString& name, PictureKind kind) {
    auto* const copy = new QAction(QObject::tr("Copy picture"), &view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, &view, [&view] { copyPicture(view); });
    auto* const save = new QAction(QObject::tr("Save picture…"), &view);
    QObject::connect(save, &QAction::triggered, &view,
                     [&view, name, kind] { savePictureAs(view, name, kind); });
    view.addActions({copy, save});
    auto* const area = qobject_cast<QAbstractScrollArea*>(&view);
    (area ? area->viewport() : &view)->installEventFilter(new ActionsAtClick(view));
}

QString exactly(double value) {
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace highwater::widgets
