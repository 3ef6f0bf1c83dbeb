#include <QApplication>
#include <QTest>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/stack/layer_options.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/window_fixture.h"
#include "widgets/plot/live_plots.h"

namespace highwater::desktop {
namespace {

using TabOrder = highwater::test::WindowFixture;

QString nameOf(const QWidget& widget) {
    return QString("%1 \"%2\"").arg(widget.metaObject()->className(), widget.accessibleName());
}

/// The widgets that Tab visits, in order, from `first` once around.
std::vector<QWidget*> visited(QWidget& first) {
    std::vector<QWidget*> all;
    first.setFocus(Qt::TabFocusReason);
    QWidget* at = QApplication::focusWidget();
    while (at && all.size() < 500 && std::ranges::find(all, at) == all.end()) {
        all.push_back(at);
        QTest::keyClick(at, Qt::Key_Tab);
        at = QApplication::focusWidget();
    }
    return all;
}

/// The part of the window that a widget is in.
QString partOf(const QWidget* widget) {
    for (; widget; widget = widget->parentWidget()) {
        if (qobject_cast<const LayerOptions*>(widget)) {
            return "options";
        }
        for (const char* part : {"ControlBar", "StackEditor", "LivePlots", "ScanPanel", "RunsTable"}) {
            if (QString(widget->metaObject()->className()).endsWith(part)) {
                return part;
            }
        }
    }
    return "other";
}

/// The parts in Tab order: each should occur once.
QStringList partsIn(const std::vector<QWidget*>& order) {
    QStringList parts;
    for (const QWidget* each : order) {
        if (const QString part = partOf(each); parts.isEmpty() || parts.back() != part) {
            parts << part;
        }
    }
    return parts;
}

QString listed(const std::vector<QWidget*>& order) {
    QStringList names;
    for (const QWidget* each : order) {
        names << partOf(each) + ": " + nameOf(*each);
    }
    return names.join('\n');
}

TEST_F(TabOrder, FollowsTheWindowAlsoAfterALayerWasAdded) {
    openSmallPreset();
    MainWindow window(options);
    window.open(options);
    window.resize(1480, 900);
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    auto* const editor = window.findChild<StackEditor*>();
    auto* const run = window.findChild<ControlBar*>()->findChild<QPushButton*>();
    ASSERT_TRUE(editor && run);
    const auto* const plots = window.findChild<widgets::LivePlots*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return plots->forecastOnShow(); }, 20000));
    for (const char* type : {"relu", "batch_norm", "dropout"}) {
        SCOPED_TRACE(type);
        window.document().edit("add", [&](stack::Experiment& e) {
            e.stack.insert(e.stack.begin(), {"", *stack::makeOp(type)});
        });
        editor->select({{0}});
        QApplication::processEvents();
        ASSERT_TRUE(QTest::qWaitFor([&] { return plots->forecastOnShow(); }, 20000));
        const std::vector<QWidget*> order = visited(*run);
        const QStringList parts = partsIn(order);
        for (const char* part :
             {"ControlBar", "StackEditor", "options", "LivePlots", "ScanPanel", "RunsTable"}) {
            EXPECT_EQ(parts.count(part), 1) << part << '\n' << listed(order).toStdString();
        }
        EXPECT_EQ(parts.indexOf("options"), parts.indexOf("StackEditor") + 1) << listed(order).toStdString();
        QPoint before;
        QString part;
        for (const QWidget* each : order) {  // within a part in reading order: to the right, or farther down
            const QPoint at = each->mapTo(&window, QPoint(0, each->height() / 2));
            if (partOf(each) == part && (part == "options" || part == "ControlBar" || part == "LivePlots")) {
                EXPECT_TRUE(at.y() > before.y() + 4 || at.x() > before.x()) << listed(order).toStdString();
            }
            part = partOf(each);
            before = at;
        }
        EXPECT_EQ(order.back()->accessibleName(), "Runs") << "the rows come after what is above them";
    }
}

}  // namespace
}  // namespace highwater::desktop
