#include "tests/app/desktop/soak/monkey.h"

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QAction>
#include <QApplication>
#include <QBackingStore>
#include <QComboBox>
#include <QDesktopServices>
#include <QDialog>
#include <QDir>
#include <QDrag>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <set>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/scan/cases/cohort_window.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/study_worker.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "tests/widgets/wait_until.h"

namespace highwater::test {

namespace {

constexpr int kLongestRestMs = 60000;
constexpr const char* kReports[] = {"report.html", "report.pdf", "report.json", "report.csv"};
constexpr const char* kSchemes[] = {"http", "https", "file", "mailto"};

/// Actions that end the program or start another one are left out.
bool leadsOut(const QString& text) {
    return text == "Quit" || text.startsWith("Open the folder") || text == "Full screen";
}

void collect(const QList<QAction*>& actions, const QString& above,
             std::vector<std::pair<QString, QAction*>>& found) {
    for (QAction* action : actions) {
        const QString name = above + QString(action->text()).remove('&');
        if (action->menu()) {
            emit action->menu()->aboutToShow();  // fills in recent files and similar entries
            collect(action->menu()->actions(), name + " > ", found);
        } else if (!action->isSeparator() && action->isEnabled() && !leadsOut(action->text())) {
            found.emplace_back(name, action);
        }
    }
}

stack::Experiment smallExperiment() {
    auto experiment = (*stack::loadPresets()).front().experiment;
    experiment.input = stack::SyntheticInput{{1, 16, 16, 16}};
    return experiment;
}

/// The enabled widgets of this kind in `in`, except those named in `leave`.
template <class Widget, class Leave>
QList<Widget*> usable(const QWidget& in, Leave leave) {
    QList<Widget*> found = in.findChildren<Widget*>();
    found.removeIf([&](Widget* w) { return !w->isVisible() || !w->isEnabled() || leave(*w); });
    return found;
}

QString nameOf(const QObject& object) {
    return QString("%1 %2").arg(object.metaObject()->className(), object.objectName());
}

}  // namespace

Monkey::Monkey(desktop::MainWindow& window, std::filesystem::path files, unsigned seed)
    : window_(window), files_(std::move(files)), random_(seed) {
    waitForDialog();
    for (const char* scheme : kSchemes) {
        QDesktopServices::setUrlHandler(scheme, this, "leaveOut");
    }
}

Monkey::~Monkey() {
    for (const char* scheme : kSchemes) {
        QDesktopServices::unsetUrlHandler(scheme);
    }
}

QString Monkey::file(const char* name) const {
    return QString::fromStdString((files_ / name).string());
}

/// An answer may ask the next question before it returns, and a timer does not fire again while its handler
/// runs: each check has its own timer.
void Monkey::waitForDialog() {
    QTimer::singleShot(60, this, [this] {
        waitForDialog();
        answer();
    });
}

/// File dialogs open or write a file in the folder, or are cancelled; every other waiting dialog gets one of
/// its buttons pressed.
void Monkey::answer() {
    if (QWidget* popup = QApplication::activePopupWidget()) {
        popup->close();
        return;
    }
    QWidget* modal = QApplication::activeModalWidget();
    if (!modal) {
        if (dragging_) {
            QDrag::cancel();  // it would wait for a mouse that nobody moves
        }
        return;
    }
    if (auto* files = qobject_cast<QFileDialog*>(modal)) {
        answer(*files);
    } else if (auto* box = qobject_cast<QMessageBox*>(modal)) {
        const auto buttons = box->buttons();
        buttons[below(static_cast<int>(buttons.size()))]->click();
    } else if (auto* dialog = qobject_cast<QDialog*>(modal)) {
        dialog->reject();
    } else {
        modal->close();
    }
}

void Monkey::answer(QFileDialog& dialog) {
    if (below(2) == 0) {
        dialog.reject();
        return;
    }
    QString chosen;
    if (dialog.acceptMode() == QFileDialog::AcceptSave) {
        const QString suffix = dialog.defaultSuffix();
        const QString named = dialog.selectedFiles().value(0);
        const QString ending = QFileInfo(named).suffix();
        chosen = file("saved.") + (ending.isEmpty() ? (suffix.isEmpty() ? "json" : suffix) : ending);
        QFile::remove(chosen);  // otherwise the dialog would ask whether to overwrite it
    } else {
        const QDir folder(file("."));
        const auto kind = dialog.fileMode() == QFileDialog::Directory ? QDir::Dirs : QDir::Files;
        const QStringList entries = folder.entryList(kind | QDir::NoDotAndDotDot, QDir::Name);
        chosen = folder.absoluteFilePath(entries[below(static_cast<int>(entries.size()))]);
        if (kind == QDir::Files && !dialog.nameFilters().isEmpty()) {
            dialog.setNameFilter(QString());
        }
    }
    dialog.selectFile(chosen);
    if (QPointer<QFileDialog> still = &dialog; still) {
        QMetaObject::invokeMethod(still, "accept");
    }
    if (dialog.isVisible()) {
        dialog.reject();
    }
}

QWidget* Monkey::anyWindow() {
    QList<QWidget*> windows;
    for (QWidget* w : QApplication::topLevelWidgets()) {
        if (w->isVisible() && !qobject_cast<QMenu*>(w) && w->windowType() != Qt::ToolTip) {
            windows << w;
        }
    }
    std::sort(windows.begin(), windows.end(), [](QWidget* a, QWidget* b) {
        return std::pair(nameOf(*a), a->windowTitle()) < std::pair(nameOf(*b), b->windowTitle());
    });
    // Half of the time the main window, whatever covers it.
    return windows.isEmpty() || below(2) == 0 ? &window_ : windows[below(static_cast<int>(windows.size()))];
}

std::string Monkey::chooseMenu() {
    std::vector<std::pair<QString, QAction*>> actions;
    collect(window_.menuBar()->actions(), {}, actions);
    const auto& [name, action] = actions[static_cast<std::size_t>(below(static_cast<int>(actions.size())))];
    const std::string said = "menu " + name.toStdString();
    action->trigger();
    return said;
}

void Monkey::openEverything() {
    window_.opener().open("phantom:head");  // OpenGL is loaded for the first scan with more than one value
    waitUntil([&] { return !window_.loading() && window_.settled(); });
    std::vector<std::pair<QString, QAction*>> actions;
    collect(window_.menuBar()->actions(), {}, actions);
    std::vector<QPointer<QAction>> all;
    for (const auto& [name, action] : actions) {
        all.emplace_back(action);
    }
    for (const auto& action : all) {
        if (action && action->isEnabled()) {
            action->trigger();
            waitUntil([] { return false; }, 40);
        }
    }
    // The tables of each device that can be predicted for are read once.
    auto* const devices = window_.findChild<QComboBox*>("Predict for");
    for (int i = devices->count() - 1; i >= 0; --i) {
        devices->setCurrentIndex(i);
        emit devices->activated(i);
        waitUntil([&] { return window_.settled(); }, 3000);
    }
    openLists();
    window_.document().reset(smallExperiment());
    if (window_.startRun().isEmpty()) {
        waitUntil([&] { return !window_.running() && window_.lastRun(); });
    }
    for (const char* name : kReports) {
        if (window_.lastRun()) {
            report(name);
        }
    }
}

/// Every popup that was shown once keeps its window and that window's pixmap.
void Monkey::openLists() {
    for (const QPointer<QMenu> menu : window_.findChildren<QMenu*>()) {
        const auto painted = [&] {
            return !menu || (menu->backingStore() && !menu->backingStore()->size().isEmpty());
        };
        // answer() may close it before it is painted
        for (int tries = 0; tries < 3 && !painted() && !menu->isEmpty(); ++tries) {
            menu->popup(window_.pos());
            waitUntil(painted, 60);
            if (menu) {
                menu->close();
            }
        }
    }
    std::set<QComboBox*> opened;
    const auto openNew = [&] {
        for (const QPointer<QComboBox> combo : window_.findChildren<QComboBox*>()) {
            if (combo && combo->isVisible() && combo->count() > 0 && opened.insert(combo).second) {
                combo->showPopup();
                waitUntil([] { return false; }, 40);
                if (combo) {
                    combo->hidePopup();
                }
            }
        }
    };
    openNew();
    for (const QPointer<QTabBar> tabs : window_.findChildren<QTabBar*>()) {
        for (int i = 0; tabs && i < tabs->count(); ++i) {
            tabs->setCurrentIndex(i);
            waitUntil([] { return false; }, 40);
            openNew();
        }
    }
}

std::string Monkey::press() {
    const auto buttons = usable<QAbstractButton>(
        *anyWindow(), [](const QAbstractButton& button) { return leadsOut(button.text()); });
    if (buttons.isEmpty()) {
        return "press nothing";
    }
    QAbstractButton* button = buttons[below(static_cast<int>(buttons.size()))];
    const std::string said = "press " + nameOf(*button).toStdString() + " " + button->text().toStdString();
    button->click();
    return said;
}

std::string Monkey::changeField() {
    QWidget* in = anyWindow();
    if (below(2) == 0) {
        const auto spins = usable<QSpinBox>(*in, [](const QSpinBox&) { return false; });
        if (!spins.isEmpty()) {
            QSpinBox* spin = spins[below(static_cast<int>(spins.size()))];
            const int most = std::min(spin->maximum(), spin->minimum() + 8);
            spin->setValue(spin->minimum() + below(most - spin->minimum() + 1));
            return "set " + nameOf(*spin).toStdString() + " " + std::to_string(spin->value());
        }
    }
    const auto combos = usable<QComboBox>(*in, [](const QComboBox& combo) { return combo.count() < 2; });
    if (combos.isEmpty()) {
        return "set nothing";
    }
    QComboBox* combo = combos[below(static_cast<int>(combos.size()))];
    const int index = below(combo->count());
    const std::string said = "choose " + nameOf(*combo).toStdString() + " " + std::to_string(index);
    combo->setCurrentIndex(index);
    emit combo->activated(index);
    return said;
}

std::string Monkey::useMouse() {
    const auto parts = usable<QWidget>(*anyWindow(), [](const QWidget& part) {
        return part.width() <= 20 || part.height() <= 20 || part.isWindow() ||
               qobject_cast<const QAbstractButton*>(&part) || qobject_cast<const QMenuBar*>(&part);
    });
    if (parts.isEmpty()) {
        return "mouse nowhere";
    }
    const QPointer<QWidget> part = parts[below(static_cast<int>(parts.size()))];
    const std::string said = "mouse " + nameOf(*part).toStdString();
    const QPoint from(below(part->width()), below(part->height()));
    const QPoint to(below(part->width()), below(part->height()));
    switch (below(4)) {
        case 0:
            QTest::mouseClick(part, Qt::LeftButton, {}, from);
            return said + " click";
        case 1:
            QTest::mouseDClick(part, Qt::LeftButton, {}, from);
            return said + " double click";
        case 2: {
            QWheelEvent wheel(from, part->mapToGlobal(from), {}, {0, below(2) == 0 ? 120 : -120},
                              Qt::NoButton, {}, Qt::NoScrollPhase, false);
            QApplication::sendEvent(part, &wheel);
            return said + " wheel";
        }
        default:
            QTest::mousePress(part, Qt::LeftButton, {}, from);
            dragging_ = true;
            for (int i = 1; i <= 4 && part; ++i) {
                QTest::mouseMove(part, from + (to - from) * i / 4);
            }
            if (part) {
                QTest::mouseRelease(part, Qt::LeftButton, {}, to);
            }
            dragging_ = false;
            return said + " drag";
    }
}

std::string Monkey::useKeys() {
    static constexpr std::pair<Qt::Key, Qt::KeyboardModifiers::Int> kKeys[] = {
        {Qt::Key_Delete, 0},
        {Qt::Key_Down, 0},
        {Qt::Key_Up, 0},
        {Qt::Key_Left, 0},
        {Qt::Key_Right, 0},
        {Qt::Key_PageDown, 0},
        {Qt::Key_Home, 0},
        {Qt::Key_Escape, 0},
        {Qt::Key_Tab, 0},
        {Qt::Key_Space, 0},
        {Qt::Key_Return, 0},
        {Qt::Key_7, 0},
        {Qt::Key_Z, Qt::ControlModifier},
        {Qt::Key_A, Qt::ControlModifier},
        {Qt::Key_D, Qt::ControlModifier},
        {Qt::Key_Up, Qt::AltModifier},
    };
    const auto& [key, modifiers] = kKeys[below(static_cast<int>(std::size(kKeys)))];
    QWidget* focus = QApplication::focusWidget();
    QWidget* to = focus ? focus : &window_;
    const std::string said = "key " + std::to_string(key) + " to " + nameOf(*to).toStdString();
    QTest::keyClick(to, key, Qt::KeyboardModifiers(modifiers));
    return said;
}

std::string Monkey::openScan() {
    const QStringList scans = {file("small.nii"), file("flat.nii"), file("two.nii"),   file("series"),
                               file("cohort"),    file("series"),   "phantom:head",    file("broken.nii"),
                               file("tall.nii"),  file("nowhere"),  file("labels.nii")};
    const QString scan = scans[below(static_cast<int>(scans.size()))];
    window_.opener().open(scan);
    waitUntil([&] { return !window_.loading(); }, 4000);
    return "scan " + scan.toStdString();
}

std::string Monkey::edit() {
    const int what = below(5), value = 1 + below(3);
    window_.document().edit("a change", [&](stack::Experiment& e) {
        switch (what) {
            case 0:
                e.step.batchSize = value;
                break;
            case 1:
                e.input = stack::SyntheticInput{{1, 8 * value, 16, 16}};
                break;
            case 2:
                e.step.checkpoint.kind =
                    value == 1 ? stack::Checkpointing::Kind::None : stack::Checkpointing::Kind::Sqrt;
                break;
            case 3:
                if (!e.stack.empty()) {
                    e.stack.erase(e.stack.begin() + below(static_cast<int>(e.stack.size())));
                }
                break;
            default:
                e = smallExperiment();
        }
    });
    return "edit " + std::to_string(what);
}

std::string Monkey::run() {
    // The experiment in the window may be large: only small ones are run, as a person would do on this
    // machine.
    if (below(3) != 0) {
        window_.document().edit("small", [](stack::Experiment& e) { e = smallExperiment(); });
    }
    auto* controls = window_.findChild<desktop::ControlBar*>();
    desktop::RunOptions options = controls->runOptions();
    options.steps = 1 + below(5);
    options.warmup = below(2);
    options.budget = base::Bytes(1) << 30;
    controls->setRunOptions(options);
    const QString refused = window_.startRun();
    if (!refused.isEmpty()) {
        return "run refused: " + refused.toStdString();
    }
    if (below(4) != 0) {
        waitUntil([&] { return !window_.running(); }, 6000);
    }
    return "run";
}

std::string Monkey::report() {
    return window_.lastRun() ? report(kReports[below(4)]) : "report of nothing";
}

std::string Monkey::report(const char* name) {
    bool done = false;
    window_.saveReport({window_.lastRun()->id}, file(name), [&](const QString&) { done = true; });
    waitUntil([&] { return done; });
    return std::string("report ") + name;
}

std::string Monkey::closeWindow() {
    QWidget* w = anyWindow();
    if (w == &window_) {
        return "close nothing";
    }
    const std::string said = "close " + nameOf(*w).toStdString();
    w->close();
    return said;
}

std::string Monkey::resize() {
    window_.resize(700 + below(900), 480 + below(520));
    return "resize";
}

/// Watches each of the window's models: one that does not announce its changes correctly corrupts the memory
/// of its views.
void Monkey::watchModels() {
    for (const QWidget* const widget : QApplication::allWidgets()) {
        const auto* const view = qobject_cast<const QAbstractItemView*>(widget);
        QAbstractItemModel* model = view ? view->model() : nullptr;
        while (model && !model->findChild<QAbstractItemModelTester*>(QString(), Qt::FindDirectChildrenOnly)) {
            const auto* const proxy = qobject_cast<const QAbstractProxyModel*>(model);
            const QByteArray name = model->metaObject()->className();
            if (proxy || name.startsWith("highwater::")) {
                new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::Warning,
                                             model);
            }
            model = proxy ? proxy->sourceModel() : nullptr;
        }
    }
}

std::string Monkey::act() {
    watchModels();
    const int n = below(100);
    const std::string said = n < 22   ? chooseMenu()
                             : n < 38 ? press()
                             : n < 50 ? changeField()
                             : n < 64 ? useMouse()
                             : n < 72 ? useKeys()
                             : n < 79 ? openScan()
                             : n < 86 ? edit()
                             : n < 91 ? run()
                             : n < 94 ? report()
                             : n < 97 ? closeWindow()
                                      : resize();
    waitUntil([] { return false; }, 20 + below(100));
    return said;
}

bool Monkey::await(const std::string& what, const std::function<bool()>& met) {
    if (waitUntil(met, kLongestRestMs)) {
        return true;
    }
    stuck_ = what;
    const auto* const plans = window_.predictions().plans();
    const auto* const cohort = window_.cohort();
    for (const auto& [name, busy] :
         {std::pair{"the scan", window_.findChild<desktop::ScanPage*>()->loading()},
          {"the opener", window_.opener().loading()},
          {"patches", window_.patches().busy()},
          {"studies", window_.studies().loading()},
          {"plans", plans && plans->busy()},
          {"the cohort", cohort && cohort->loading()}}) {
        stuck_ += busy ? std::string("; busy: ") + name : "";
    }
    return false;
}

bool Monkey::rest() {
    const auto others = [this] {
        for (QWidget* w : QApplication::topLevelWidgets()) {
            if (w != &window_ && w->isVisible() && w->windowType() != Qt::ToolTip) {
                return w;
            }
        }
        return static_cast<QWidget*>(nullptr);
    };
    window_.studies().worker().cancel();
    if (window_.running()) {
        window_.stopRun();
    }
    if (!await("a run does not end", [&] { return !window_.running(); }) ||
        !await("a study does not end", [&] { return !window_.studies().running(); })) {
        return false;
    }
    const bool closed = await("a window does not close", [&] {
        QWidget* const other = others();
        if (other) {
            other->close();
        }
        return !other;
    });
    if (!closed) {
        stuck_ += ": " + nameOf(*others()).toStdString() + ' ' + others()->windowTitle().toStdString();
        return false;
    }
    std::vector<std::string> ids;
    for (const auto& row : window_.store().rows()) {
        ids.push_back(row.id);
    }
    if (!ids.empty()) {
        window_.store().remove(ids);
    }
    window_.resize(1280, 860);
    const auto read = [&] { return await("something is still read", [&] { return !window_.loading(); }); };
    if (!read()) {
        return false;
    }
    window_.opener().open(file("small.nii"));
    if (!read()) {
        return false;
    }
    window_.document().reset(smallExperiment());
    for (QTabBar* const tabs : window_.findChildren<QTabBar*>()) {
        tabs->setCurrentIndex(0);
    }
    window_.patches().setMode(desktop::PatchMode::Scan);
    qApp->setStyleSheet(QString(qApp->styleSheet()));
    return await("the runs are not removed", [&] { return window_.store().rows().empty(); }) && read() &&
           await("the window does not settle", [&] { return window_.settled(); });
}

}  // namespace highwater::test

#include "moc_monkey.cpp"
