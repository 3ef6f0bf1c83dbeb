#include "app/desktop/shell/preferences_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "app/desktop/experiment/target/targets.h"
#include "core/predict/tables/contexts.h"
#include "tests/app/desktop/window_fixture.h"
#include "widgets/controls/checked_edit.h"

namespace highwater::desktop {
namespace {

class PreferencesTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        qputenv("XDG_DATA_HOME", QByteArray::fromStdString((folder / "data").string()));
        offerTargets(target);
    }
    void TearDown() override {
        qunsetenv("XDG_DATA_HOME");
        QSettings().remove("view/theme");
        QSettings().remove("script");
        widgets::applyTheme(*qApp, before);
        WindowFixture::TearDown();
    }
    static void type(QLineEdit* field, const QString& text) {
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    widgets::ThemeMode before = widgets::themeMode();
    TargetField target;
};

TEST_F(PreferencesTest, AThemeIsShownAndKept) {
    PreferencesDialog dialog(target, options.store, nullptr);
    auto* const theme = dialog.findChild<QComboBox*>("theme");
    for (int index = 0; index < theme->count(); ++index) {
        theme->setCurrentIndex(index);
        emit theme->activated(index);
        EXPECT_EQ(widgets::themeMode(), namedThemes()[static_cast<std::size_t>(index)].mode);
        EXPECT_EQ(QSettings().value("view/theme").toString(),
                  namedThemes()[static_cast<std::size_t>(index)].name);
    }
}

double luminance(const QColor& color) {
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

TEST_F(PreferencesTest, AFieldIsSeenInBothThemesAndItsTextIsNotAtItsBorder) {
    for (const widgets::ThemeMode mode : {widgets::ThemeMode::Light, widgets::ThemeMode::Dark}) {
        widgets::applyTheme(*qApp, mode);
        PreferencesDialog dialog(target, options.store, nullptr);
        dialog.show();
        for (const char* name : {"others", "store"}) {
            auto* const field = dialog.findChild<QLineEdit*>(name);
            ASSERT_FALSE(field->hasFocus());
            field->setText("HHH");
            const QImage image = field->grab().toImage();
            const int middle = image.height() / 2;
            const QColor border = image.pixelColor(0, middle),
                         fill = image.pixelColor(image.width() / 2, middle);
            EXPECT_GE(contrast(border, fill), 3) << name;
            EXPECT_GE(contrast(border, widgets::theme().window), 3) << name;
            int first = 1;
            while (image.pixelColor(first, middle) == fill) {
                ++first;
            }
            EXPECT_GE(first, 6) << name;
        }
    }
}

TEST_F(PreferencesTest, TheDeviceIsFoundByTypingAndBecomesTheWindows) {
    PreferencesDialog dialog(target, options.store, nullptr);
    dialog.show();
    QSignalSpy changed(&target, &TargetField::changed);
    auto* const device = dialog.findChild<QComboBox*>("device");
    EXPECT_EQ(device->count(), static_cast<int>(target.targets().size()));
    type(device->lineEdit(), "3060");
    QTest::keyClick(device->lineEdit(), Qt::Key_Return);
    EXPECT_TRUE(dialog.isVisible()) << "Return is not also the default button's";
    EXPECT_EQ(target.choice().id, "rtx3060");
    auto* const others = dialog.findChild<widgets::CheckedEdit*>("others");
    type(others, "1.5 GiB");
    EXPECT_EQ(target.choice().others, base::kGiB * 3 / 2);
    EXPECT_EQ(target.choice().id, "rtx3060");
    type(others, "much");
    EXPECT_EQ(target.choice().others, base::kGiB * 3 / 2) << "wrong text is not applied";
    EXPECT_FALSE(others->reason().isEmpty());
    bool below = false;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        below = below || (label->isVisible() && label->text() == others->reason());
    }
    EXPECT_TRUE(below) << "and says why below the field";
    EXPECT_GE(changed.count(), 2);
}

TEST_F(PreferencesTest, AKeptContextIsShownAndCleared) {
    ASSERT_TRUE(predict::keepGivenContext("rtx3060", 300 * base::kMiB));
    PreferencesDialog dialog(target, options.store, nullptr);
    dialog.show();
    QSignalSpy forgotten(&dialog, &PreferencesDialog::contextForgotten);
    auto* const clear = dialog.findChild<QPushButton*>("clear rtx3060");
    ASSERT_TRUE(clear);
    clear->click();
    EXPECT_EQ(forgotten.count(), 1);
    EXPECT_TRUE(predict::keptContexts()->empty());
    EXPECT_FALSE(clear->isVisible());
}

TEST_F(PreferencesTest, ThePythonOfScriptsIsCheckedAndKept) {
    PreferencesDialog dialog(target, options.store, nullptr);
    auto* const python = dialog.findChild<widgets::CheckedEdit*>("python");
    type(python, "/bin/sh");
    EXPECT_EQ(QSettings().value("script/python").toString(), "/bin/sh");
    type(python, "/no/such/python");
    EXPECT_FALSE(python->isRight());
    EXPECT_EQ(QSettings().value("script/python").toString(), "/bin/sh");
    EXPECT_EQ(dialog.findChild<QLineEdit*>("store")->text().toStdString(), options.store.string());
}

}  // namespace
}  // namespace highwater::desktop
