// Presets, their pictures and typed windows; and that they do not depend on the locale.
#include "widgets/scan/panel/window_menu.h"

#include <QApplication>
#include <QCheckBox>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QToolButton>

#include "tests/widgets/scan/panel/panel_fixture.h"
#include "widgets/scan/panel/scan_keys.h"
#include "widgets/scan/panel/window_editor.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

using highwater::testing::ball;
using highwater::testing::makeVolume;

class WindowMenuTest : public ScanPanelTest {
protected:
    QToolButton* tool(const char* name) const { return panel.findChild<QToolButton*>(name); }
    QListWidget* openMenu() const {
        tool("windowPreset")->click();
        return panel.findChild<QListWidget*>("windowPresets");
    }
    QListWidgetItem* item(const QString& id) const {
        auto* const list = panel.findChild<QListWidget*>("windowPresets");
        for (int row = 0; row < list->count(); ++row) {
            if (list->item(row)->data(Qt::UserRole) == id) {
                return list->item(row);
            }
        }
        return nullptr;
    }
    QImage thumbnail(const QString& id) const {
        return item(id)->icon().pixmap(QSize(WindowMenu::kThumbnail, WindowMenu::kThumbnail)).toImage();
    }
    void type(const char* field, const QString& text) const {
        auto* const edit = panel.findChild<QLineEdit*>(field);
        edit->setText(text);
        QTest::keyClick(edit, Qt::Key_Return);
    }
};

TEST_F(WindowMenuTest, OffersAPictureForEveryPreset) {
    EXPECT_FALSE(tool("windowPreset")->isEnabled());
    load(ball(40));
    QListWidget* const list = openMenu();
    ASSERT_TRUE(list->isVisible());
    ASSERT_EQ(list->count(), static_cast<int>(volume::windowPresets().size()));
    EXPECT_EQ(list->currentItem()->text(), "MR default") << "the one on show";
    for (int row = 0; row < list->count(); ++row) {
        EXPECT_EQ(list->item(row)->icon().actualSize({56, 56}), QSize(56, 56));
        EXPECT_FALSE(list->item(row)->text().isEmpty());
    }
    // Air at 10: black if the window starts there, white under a lung window.
    EXPECT_LT(thumbnail("mr").pixelColor(3, 3).red(), 40);
    EXPECT_GT(thumbnail("ct-lung").pixelColor(3, 3).red(), 200);
    // Select by keyboard.
    list->setCurrentItem(item("ct-bone"));
    QTest::keyClick(list, Qt::Key_Return);
    EXPECT_FALSE(list->isVisible());
    EXPECT_EQ(scene->window(), (volume::Window{-500, 1500}));
    EXPECT_EQ(tool("windowPreset")->text(), "CT bone ▾");
    openMenu();
    emit list->itemClicked(item("full"));
    EXPECT_EQ(scene->window(), (volume::Window{10, 800}));
    EXPECT_EQ(status->presetId(), "full");
}

TEST_F(WindowMenuTest, PicturesShowTheSliceAtTheCursorInItsAspect) {
    // 40 mm wide, 10 mm high; only the last slices are bright.
    load(makeVolume({40, 20, 12}, [](auto, auto, auto k) { return k > 8 ? 900.0F : 0.0F; }, "RAS",
                    {1, 0.5, 1}));
    scene->setCursor({20, 10, 2});
    openMenu();
    EXPECT_LT(thumbnail("full").pixelColor(28, 28).red(), 20);
    panel.findChild<WindowMenu*>()->close();
    scene->setCursor({20, 10, 10});
    openMenu();
    const QImage picture = thumbnail("full");
    EXPECT_GT(picture.pixelColor(28, 28).red(), 240);
    EXPECT_GT(picture.pixelColor(2, 28).red(), 240) << "all of the width";
    EXPECT_GT(picture.pixelColor(28, 23).red(), 240);
    EXPECT_LT(picture.pixelColor(28, 18).red(), 20) << "a quarter of the height, measured in millimeters";
    panel.findChild<QCheckBox*>("windowInverted")->click();
    EXPECT_TRUE(scene->inverted());
    EXPECT_LT(thumbnail("full").pixelColor(28, 28).red(), 20) << "the pictures follow";
    panel.findChild<WindowMenu*>()->close();
}

TEST_F(WindowMenuTest, WindowIsTyped) {
    load(ball(40));
    tool("windowNumbers")->click();
    auto* const editor = panel.findChild<WindowEditor*>();
    ASSERT_TRUE(editor->isVisible());
    panel.findChild<QLineEdit*>("windowLevel")->setText("−40.5");
    type("windowWidth", "1200");
    EXPECT_FALSE(editor->isVisible());
    EXPECT_EQ(scene->window(), volume::Window::fromLevel(-40.5, 1200));
    EXPECT_EQ(status->windowText(), "W 1200  L −41");
    for (const char* bad : {"", "-3", "0", "nan", "1e999", "1,5", "1.000,5", "12 HU"}) {
        tool("windowNumbers")->click();
        type("windowWidth", bad);
        EXPECT_TRUE(editor->isVisible()) << bad;
        EXPECT_FALSE(panel.findChild<QLineEdit*>("windowWidth")->toolTip().isEmpty());
        editor->close();
    }
    EXPECT_EQ(scene->window(), volume::Window::fromLevel(-40.5, 1200));
}

TEST(TypedNumber, IsReadAlikeEverywhere) {
    EXPECT_EQ(typedNumber(" 0.5 "), 0.5);
    EXPECT_EQ(typedNumber("−1e3"), -1000);
    EXPECT_FALSE(typedNumber("1,5"));
    EXPECT_FALSE(typedNumber("inf"));
}

TEST_F(WindowMenuTest, AGermanLocaleChangesNothing) {
    const auto volume =
        makeVolume({20, 20, 20}, [](auto i, auto, auto) { return 1234.5F + i; }, "LAS", {2, 1, 0.5});
    struct Seen {
        QString window, position, crop;
        QImage picture;
    };
    const auto look = [&] {
        load(volume);
        tool("windowNumbers")->click();
        panel.findChild<QLineEdit*>("windowLevel")->setText("1240.25");
        type("windowWidth", "12.5");
        scene->setCrop(PatchBox{{0, 0, 0}, {9, 9, 9}});
        panel.setPatchExtent({8, 8, 8});
        hover(axial, at(axial, {3, 5, 10}));
        return Seen{status->windowText(), status->positionText(),
                    panel.findChild<ElidedLabel*>("scanCrop")->text(), axial->grab().toImage()};
    };
    look();  // the first popup changes who has the focus
    const Seen english = look();
    EXPECT_EQ(english.window, "W 12.5  L 1240");
    EXPECT_EQ(english.position, "(−6.0, 5.0, 5.0) mm = 1237.5 · voxel 3, 5, 10");
    QLocale::setDefault(QLocale::German);
    const Seen german = look();
    QLocale::setDefault(QLocale::c());
    EXPECT_EQ(german.window, english.window);
    EXPECT_EQ(german.position, english.position);
    EXPECT_EQ(german.crop, english.crop);
    EXPECT_EQ(german.picture, english.picture);
}

TEST_F(WindowMenuTest, HounsfieldUnitsAndOtherChannels) {
    load(makeVolume({20, 20, 20}, [](auto i, auto, auto) { return i == 0 ? -1000.0F : 40.0F * i; }));
    hover(axial, at(axial, {3, 5, 10}));
    EXPECT_EQ(status->positionText(), "(3.0, 5.0, 10.0) mm = 120 HU · voxel 3, 5, 10");
    // A volume with half as many voxels in the same millimeters, and one at another position.
    const auto coarse =
        makeVolume({10, 10, 10}, [](auto i, auto, auto) { return static_cast<float>(i); }, "RAS", {2, 2, 2});
    const auto small = makeVolume({2, 2, 2}, [](auto, auto, auto) { return 7.0F; });
    panel.setChannels({coarse, small});
    EXPECT_EQ(status->positionText(), "(3.0, 5.0, 10.0) mm = 120 HU, 2, – · voxel 3, 5, 10");
    load(ball(20));
    EXPECT_FALSE(status->positionText().contains(", –")) << "another scan has none";
}

TEST_F(WindowMenuTest, UnknownSpacingInventsNoMillimeters) {
    const volume::Volume known = ball(20);
    volume::Header header = known.header();
    header.spacingKnown = false;
    load({header, std::shared_ptr<const std::byte>(std::make_shared<volume::Volume>(known), known.data())});
    hover(axial, at(axial, {10, 10, 10}));
    EXPECT_EQ(status->positionText(), "voxel 10, 10, 10 = 800");
}

TEST_F(WindowMenuTest, ANarrowLineBreaks) {
    load(ball(20));
    ScanStatus line(*scene);
    scene->setWindow({-20000, 20000});
    const auto part = [&](const char* name) { return line.findChild<QToolButton*>(name); };
    const auto place = [&](const char* name) {
        return QRect(part(name)->mapTo(&line, QPoint()), part(name)->size());
    };
    const auto layOut = [&](int width) {
        line.resize(width, line.heightForWidth(width));
        line.show();
        ASSERT_EQ(line.width(), width);
        for (const char* name : {"windowNumbers", "windowPreset", "windowMode", "inverted", "crosshair",
                                 "crop", "scanKeysButton"}) {
            EXPECT_TRUE(line.rect().contains(place(name))) << name << " of " << width;
            EXPECT_FALSE(part(name)->accessibleName().isEmpty() && part(name)->text().isEmpty()) << name;
        }
    };
    layOut(500);
    EXPECT_EQ(place("crop").center().y(), place("windowNumbers").center().y());
    layOut(226);
    EXPECT_GT(place("crop").top(), place("windowPreset").bottom()) << "a line of their own";
    for (const char* name : {"windowNumbers", "windowPreset"}) {
        EXPECT_EQ(part(name)->width(), part(name)->sizeHint().width()) << name;
    }
}

TEST_F(WindowMenuTest, KeysAreListedOnScreenAndInTheDocs) {
    load(ball(20));
    QTest::keyClick(axial, Qt::Key_Question, Qt::ShiftModifier);
    auto* const list = panel.findChild<ScanKeyList*>();
    ASSERT_TRUE(list->isVisible());
    QStringList words;
    for (const QLabel* label : list->findChildren<QLabel*>()) {
        words += label->text();
    }
    QFile docs(HIGHWATER_SOURCE_DIR "/docs/scan-views.md");
    ASSERT_TRUE(docs.open(QIODevice::ReadOnly));
    const QString page = QString::fromUtf8(docs.readAll());
    for (const ScanKey& key : ScanKeyList::keys()) {
        EXPECT_TRUE(words.contains(key.keys) && words.contains(key.meaning)) << qPrintable(key.keys);
        EXPECT_TRUE(page.contains("| " + key.keys + " | " + key.meaning + " |")) << qPrintable(key.keys);
    }
    list->close();
}

}  // namespace
}  // namespace highwater::widgets
