#include "app/desktop/experiment/stack/layer_options.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>

#include "app/desktop/experiment/stack/layer_words.h"
#include "app/desktop/experiment/stack/option_form.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "widgets/controls/checked_edit.h"

namespace highwater::desktop {
namespace {

class LayerOptionsTest : public ::testing::Test {
protected:
    void open(const std::string& text, const Path& path) {
        document.reset(testing::experimentFrom(text));
        options.setCurrent(path);
        options.resize(360, 400);
        options.show();
        QCoreApplication::processEvents();
    }
    widgets::CheckedEdit* edit(const char* key) { return options.findChild<widgets::CheckedEdit*>(key); }
    void type(widgets::CheckedEdit* field, const QString& text) {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    const stack::Conv& conv() { return std::get<stack::Conv>(document.experiment().stack[0].op); }

    ExperimentDocument document;
    LayerOptions options{document};
};

TEST_F(LayerOptionsTest, TypingAppliesLiveAsOneUndoStep) {
    open("conv", {0});
    type(edit("kernel_size"), "5x5x3");
    EXPECT_EQ(conv().kernelSize, (stack::Sizes{5, 5, 3}));
    EXPECT_EQ(document.undoStack().count(), 1);
    EXPECT_EQ(edit("kernel_size")->text(), QString("5x5x3")) << "what is being typed stays as typed";
    document.undoStack().undo();
    EXPECT_EQ(conv().kernelSize, (stack::Sizes{3}));
    EXPECT_EQ(edit("kernel_size")->text(), QString("3"));
}

TEST_F(LayerOptionsTest, WrongTextIsMarkedAndNotApplied) {
    open("conv", {0});
    type(edit("stride"), "0");
    EXPECT_FALSE(edit("stride")->isRight());
    EXPECT_TRUE(edit("stride")->property("invalid").toBool());
    EXPECT_FALSE(edit("stride")->toolTip().isEmpty());
    EXPECT_EQ(conv().stride, (stack::Sizes{1}));
    QTest::keyClick(edit("stride"), Qt::Key_Escape);
    EXPECT_TRUE(edit("stride")->isRight());
    EXPECT_EQ(edit("stride")->text(), QString("1"));
}

TEST_F(LayerOptionsTest, PaddingTakesSame) {
    open("conv", {0});
    type(edit("padding"), "same");
    EXPECT_TRUE(conv().padding.same);
    type(edit("padding"), "sam");
    EXPECT_TRUE(conv().padding.same);
    EXPECT_FALSE(edit("padding")->isRight());
}

TEST_F(LayerOptionsTest, ArrowKeysStepSizes) {
    open("conv", {0});
    edit("kernel_size")->setFocus();
    QTest::keyClick(edit("kernel_size"), Qt::Key_Up);
    EXPECT_EQ(conv().kernelSize, (stack::Sizes{4}));
}

TEST_F(LayerOptionsTest, SpinBoxAndCheckBoxApply) {
    open("conv", {0});
    options.findChild<QSpinBox*>("out_channels")->setValue(24);
    options.findChild<QCheckBox*>("bias")->click();
    EXPECT_EQ(conv().outChannels, 24);
    EXPECT_FALSE(conv().bias);
}

/// Opens the context menu of a field, and triggers the entry `entry` of the submenu that begins with `text`.
/// Returns the texts of the menu.
QStringList chooseInMenu(QWidget* field, const QString& text, const QString& entry) {
    bool chosen = false;
    QStringList offered;
    QTimer::singleShot(0, [&] {
        auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        ASSERT_NE(menu, nullptr);
        for (QAction* action : menu->actions()) {
            offered << action->text();
            if (!chosen && action->text().startsWith(text)) {
                ASSERT_NE(action->menu(), nullptr);
                for (QAction* study : action->menu()->actions()) {
                    if (study->text() == entry) {
                        chosen = true;
                        study->trigger();
                    }
                }
            }
        }
        menu->close();
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, field->rect().center(),
                            field->mapToGlobal(field->rect().center()));
    QCoreApplication::sendEvent(field, &event);
    EXPECT_TRUE(chosen) << text.toStdString();
    return offered;
}

TEST_F(LayerOptionsTest, AFieldCanBeVariedHereOrInAllLayersOfTheType) {
    open("conv relu [conv]", {2, 0});
    QSignalSpy wanted(&options, &LayerOptions::varyWanted);
    type(edit("kernel_size"), "3x3x1");
    const QStringList offered = chooseInMenu(edit("kernel_size"), "Vary this", "In a sweep…");
    EXPECT_TRUE(offered.filter("with the same value").isEmpty()) << "the other one's kernel is 3";
    ASSERT_EQ(wanted.size(), 1);
    const auto one = wanted[0][0].value<FieldToVary>();
    EXPECT_EQ(one.name, "kernel_size of layer 4");
    EXPECT_EQ(one.pointers, QStringList{"/stack/2/layers/0/kernel_size"});
    EXPECT_EQ(one.values, "[3,3,1]");
    EXPECT_EQ(wanted[0][1].value<FieldStudy>(), FieldStudy::Sweep);
    chooseInMenu(options.findChild<QCheckBox*>("bias"), "Vary this in the 2 conv layers with the same value",
                 "In a factorial…");
    ASSERT_EQ(wanted.size(), 2);
    const auto all = wanted[1][0].value<FieldToVary>();
    EXPECT_EQ(all.name, "bias of 2 conv layers");
    EXPECT_EQ(all.pointers, (QStringList{"/stack/0/bias", "/stack/2/layers/0/bias"}));
    EXPECT_EQ(all.values, "false, true");
    EXPECT_EQ(wanted[1][1].value<FieldStudy>(), FieldStudy::Factorial);
    EXPECT_EQ(conv().kernelSize, (stack::Sizes{3})) << "asking changes nothing";
}

TEST_F(LayerOptionsTest, SaysWhereTheLayerIs) {
    open("conv [relu]", {1, 0});
    EXPECT_EQ(options.title(), QString("relu"));
    EXPECT_EQ(options.note(), QString("layer 3, in block b"));
    options.setCurrent({9});
    EXPECT_EQ(options.title(), QString("Options"));
}

TEST_F(LayerOptionsTest, AConcatTakesSeveralIds) {
    open("conv:a conv:b concat=a", {2});
    auto* field = options.findChild<QComboBox*>();
    ASSERT_NE(field, nullptr);
    field->setEditText("b, a,b ,");
    EXPECT_EQ(std::get<stack::Merge>(document.experiment().stack[2].op).with,
              (std::vector<std::string>{"b", "a", "b"}));
    EXPECT_EQ(optionsInWords(document.experiment().stack[2], 3), "with b, a, b");
    open("conv:a conv:b add=a", {2});
    options.findChild<QComboBox*>()->setEditText("b, a");
    EXPECT_EQ(std::get<stack::Merge>(document.experiment().stack[2].op).with,
              (std::vector<std::string>{"b, a"}));
}

TEST_F(LayerOptionsTest, EveryTypeHasAFormWhoseValuesReadBack) {
    for (const std::string_view name : stack::typeNames()) {
        stack::Experiment e = testing::experimentFrom("conv");
        e.stack[0].op = *stack::makeOp(name);
        const stack::Experiment before = e;
        document.reset(std::move(e));
        options.setCurrent({0});
        auto* form = options.findChild<OptionForm*>();
        ASSERT_NE(form, nullptr) << name;
        EXPECT_EQ(options.title().toStdString(), name);
        EXPECT_GE(form->fields(), 1) << name;
        for (const widgets::CheckedEdit* field : form->findChildren<widgets::CheckedEdit*>()) {
            EXPECT_TRUE(field->isRight()) << name << " " << field->objectName().toStdString();
        }
        EXPECT_EQ(document.experiment(), before) << "showing " << name << " changed it";
    }
}

}  // namespace
}  // namespace highwater::desktop
