#include "app/desktop/experiment/stack/stack_editor.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

#include "app/desktop/experiment/stack/advice_box.h"
#include "app/desktop/experiment/stack/stack_model.h"
#include "app/desktop/experiment/stack/stack_tree_view.h"
#include "tests/app/desktop/experiment/stack/predictions.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/wrapped_label.h"

namespace highwater::desktop {
namespace {

class StackEditorTest : public ::testing::Test {
protected:
    void open(const std::string& text) {
        document.reset(testing::experimentFrom(text));
        editor.resize(380, 500);
        editor.show();
        view->setFocus();
        QCoreApplication::processEvents();
    }
    std::string text() const { return testing::textOf(document.experiment().stack); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(view, key, modifiers); }

    ExperimentDocument document;
    StackEditor editor{document};
    StackTreeView* view = editor.findChild<StackTreeView*>();
    StackModel* model = editor.findChild<StackModel*>();
};

TEST_F(StackEditorTest, KeysDeleteDuplicateMoveAndGroupThroughUndo) {
    open("conv relu gelu");
    editor.select({{1}});
    press(Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(text(), "conv relu relu gelu");
    EXPECT_EQ(editor.currentPath(), (Path{2}));
    press(Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(text(), "conv relu gelu relu");
    press(Qt::Key_Delete);
    EXPECT_EQ(text(), "conv relu gelu");
    editor.select({{0}, {1}});
    press(Qt::Key_G, Qt::ControlModifier);
    EXPECT_EQ(text(), "[conv relu] gelu");
    EXPECT_EQ(editor.selectedPaths(), (Paths{{0}}));
    press(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(text(), "conv relu gelu");
    while (document.undoStack().canUndo()) {
        document.undoStack().undo();
    }
    EXPECT_EQ(text(), "conv relu gelu");
}

TEST_F(StackEditorTest, APredictionShowsInItsRowsUntilTheStackIsAnother) {
    open("conv relu conv");
    EXPECT_EQ(model->indexOf({1}, StackModel::Size).data().toString(), "16.0 KiB") << "the output";
    editor.setPrediction(std::make_shared<predict::Prediction>(testing::predictionOf(3)));
    EXPECT_EQ(model->indexOf({1}, StackModel::Size).data().toString(), "1.00 MiB");
    EXPECT_TRUE(model->indexOf({1}).data(Qt::ToolTipRole).toString().contains("10.0 % of it"));
    document.edit("batch", [](stack::Experiment& e) { e.step.batchSize = 2; });
    EXPECT_EQ(model->indexOf({1}, StackModel::Size).data().toString(), "1.00 MiB") << "until the next one";
    editor.addLayer("relu");
    EXPECT_EQ(model->indexOf({1}, StackModel::Size).data().toString(), "32.0 KiB");
    editor.setPrediction(nullptr);
    EXPECT_EQ(model->indexOf({0}, StackModel::Parameters).data().toString(), "28");
    EXPECT_EQ(model->indexOf({1}, StackModel::Parameters).data().toString(), "");
}

TEST_F(StackEditorTest, ACliffIsSaidWithItsWaysOut) {
    open("conv relu conv");
    auto* advice = editor.findChild<AdviceBox*>();
    EXPECT_FALSE(advice->isVisible());
    auto prediction = testing::predictionOf(3);
    prediction.cliffs = {testing::cliffAt(0, base::kGiB), testing::cliffAt(2)};
    editor.setPrediction(std::make_shared<predict::Prediction>(prediction));
    ASSERT_TRUE(advice->isVisible());
    EXPECT_TRUE(advice->text().contains("use width 352"));
    EXPECT_TRUE(advice->text().contains("&lt;not&gt;")) << "a message is text, not markup";
    EXPECT_TRUE(advice->text().contains("1 more"));
    QSignalSpy chosen(&editor, &StackEditor::safeSizeChosen);
    auto* label = advice->findChild<QLabel*>();
    emit label->linkActivated("size:width:352");
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toString(), "width");
    EXPECT_EQ(chosen[0][1].toLongLong(), 352);
    emit label->linkActivated("layer:2");
    EXPECT_EQ(editor.currentPath(), (Path{2})) << "the worst one's layer";
    EXPECT_FALSE(editor.grab().isNull());
    document.edit("bad",
                  [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    EXPECT_FALSE(advice->isVisible()) << "a stack that is not valid has other troubles";
}

TEST_F(StackEditorTest, TheOptionsHaveRoomWherePanelsAreAsWideAsAtTheStart) {
    open("[conv instance_norm leaky_relu]");
    document.edit("stride", [](stack::Experiment& e) {
        auto& block = std::get<stack::Block>(e.stack[0].op);
        std::get<stack::Conv>(block.layers[0].op).stride = {2};
    });
    editor.resize(450, 500);
    QCoreApplication::processEvents();
    const QModelIndex conv = model->indexOf({0, 0}, StackModel::Options);
    QStyleOptionViewItem option;
    option.initFrom(view);
    EXPECT_GE(view->columnWidth(StackModel::Options), view->itemDelegate()->sizeHint(option, conv).width())
        << conv.data().toString().toStdString();
    int all = 0;
    for (int column = 0; column < StackModel::kColumns; ++column) {
        all += view->columnWidth(column);
    }
    EXPECT_EQ(all, view->viewport()->width());
}

TEST_F(StackEditorTest, AShapeOfUnequalSizesIsSeenWholeWherePanelsAreAsWideAsAtTheStart) {
    open("[conv local_response_norm leaky_relu]");
    document.edit("input", [](stack::Experiment& e) {
        e.input = stack::SyntheticInput{{1, 64, 192, 160}};
        std::get<stack::Conv>(std::get<stack::Block>(e.stack[0].op).layers[0].op).outChannels = 320;
    });
    editor.resize(450, 500);
    QCoreApplication::processEvents();
    const QModelIndex conv = model->indexOf({0, 0}, StackModel::Output);
    ASSERT_TRUE(conv.data().toString().startsWith("320 × ")) << conv.data().toString().toStdString();
    const QString tight = conv.data().toString().remove(' ');
    EXPECT_GE(view->columnWidth(StackModel::Output),
              QFontMetrics(widgets::smallFont(view->font())).horizontalAdvance(tight) + 4)
        << tight.toStdString();
}

TEST_F(StackEditorTest, AddsAfterTheCurrentLayerAndFitsChannels) {
    open("conv relu");
    document.edit("", [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).outChannels = 12; });
    editor.select({{0}});
    editor.addLayer("conv");
    EXPECT_EQ(text(), "conv conv relu");
    EXPECT_EQ(std::get<stack::Conv>(document.experiment().stack[1].op).outChannels, 12);
    EXPECT_EQ(editor.currentPath(), (Path{1}));
    editor.addBlock();
    editor.addLayer("gelu");
    EXPECT_EQ(text(), "conv conv [gelu] relu");
}

TEST_F(StackEditorTest, SelectionAndScrollingSurviveAnEditElsewhere) {
    open("conv relu gelu silu");
    editor.select({{3}});
    QSignalSpy reset(model, &QAbstractItemModel::modelReset);
    document.edit("insert",
                  [](stack::Experiment& e) { e.stack.insert(e.stack.begin(), testing::layerFrom("relu")); });
    EXPECT_EQ(editor.currentPath(), (Path{4}));
    EXPECT_EQ(reset.count(), 0);
}

TEST_F(StackEditorTest, OneChangedOptionTouchesOneRowOnly) {
    open("conv relu gelu");
    QSignalSpy data(model, &QAbstractItemModel::dataChanged);
    QSignalSpy inserted(model, &QAbstractItemModel::rowsInserted);
    document.edit("",
                  [](stack::Experiment& e) { std::get<stack::Activation>(e.stack[1].op).inplace = true; });
    ASSERT_TRUE(document.info().ok()) << document.info().error().message;
    EXPECT_EQ(data.count(), 1);
    EXPECT_EQ(inserted.count(), 0);
}

TEST_F(StackEditorTest, ACollapsedBlockStaysCollapsedWhenItMoves) {
    open("[conv relu] gelu silu");
    view->collapse(model->indexOf({0}));
    editor.select({{0}});
    editor.moveSelected(1);
    EXPECT_EQ(text(), "gelu [conv relu] silu");
    EXPECT_FALSE(view->isExpanded(model->indexOf({1})));
}

TEST_F(StackEditorTest, DropsIntoABlockMoveAndRefuseABlockInItself) {
    open("conv [relu] gelu");
    std::unique_ptr<QMimeData> data(model->mimeData({model->indexOf({2})}));
    EXPECT_TRUE(model->dropMimeData(data.get(), Qt::MoveAction, 0, 0, model->indexOf({1})));
    EXPECT_EQ(text(), "conv [gelu relu]");
    data.reset(model->mimeData({model->indexOf({1})}));
    EXPECT_FALSE(model->canDropMimeData(data.get(), Qt::MoveAction, 0, 0, model->indexOf({1})));
    EXPECT_FALSE(model->dropMimeData(data.get(), Qt::MoveAction, 0, 0, model->indexOf({1})));
    EXPECT_TRUE(model->dropMimeData(data.get(), Qt::CopyAction, -1, -1, {}));
    EXPECT_EQ(text(), "conv [gelu relu] [gelu relu]");
}

TEST_F(StackEditorTest, CopiesAndPastesAsText) {
    open("conv:a add=a relu");
    editor.select({{0}, {1}});
    press(Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("\"type\": \"conv\""));
    editor.select({{2}});
    press(Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(text(), "conv:a add=a relu conv:a_2 add=a_2");
    QGuiApplication::clipboard()->setText("not layers");
    editor.paste();
    EXPECT_EQ(text(), "conv:a add=a relu conv:a_2 add=a_2");
    bool said = false;
    for (const QLabel* label : editor.findChildren<QLabel*>()) {
        said |= label->isVisible() && label->text().startsWith("Cannot paste: the clipboard holds no layers");
    }
    EXPECT_TRUE(said);
}

TEST_F(StackEditorTest, WhatIsPastedOrAddedComesAfterAllThatIsSelected) {
    open("conv batch_norm relu gelu");
    editor.select({{0}, {1}, {2}});
    press(Qt::Key_C, Qt::ControlModifier);
    press(Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(text(), "conv batch_norm relu conv batch_norm relu gelu");
    EXPECT_EQ(editor.selectedPaths(), (Paths{{3}, {4}, {5}}));
}

TEST_F(StackEditorTest, SomethingIsSelectedAfterUndoTookWhatWas) {
    open("conv relu gelu");
    editor.select({{1}});
    press(Qt::Key_C, Qt::ControlModifier);
    press(Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(editor.selectedPaths(), (Paths{{2}}));
    document.undoStack().undo();
    EXPECT_EQ(text(), "conv relu gelu");
    EXPECT_EQ(editor.selectedPaths(), (Paths{editor.currentPath()}));
    press(Qt::Key_D, Qt::ControlModifier);  // so that the keys still apply to a layer
    EXPECT_NE(text(), "conv relu gelu");
}

TEST_F(StackEditorTest, WhatIsTypedInTheMenuOfLayersFindsOne) {
    open("conv relu");
    editor.select({{0}});
    QMenu* menu = editor.addMenu();
    menu->popup({});
    QTest::keyClicks(menu, "batch");
    QTest::keyClick(menu, Qt::Key_Return);
    EXPECT_EQ(text(), "conv batch_norm relu");
    menu->popup({});
    QTest::keyClicks(menu, "pad");  // and not adaptive_avg_pool, which contains these letters too
    QTest::keyClick(menu, Qt::Key_Return);
    EXPECT_EQ(text(), "conv batch_norm pad relu");
}

TEST_F(StackEditorTest, AnErrorShowsInPlaceAndGoesAgain) {
    open("conv relu");
    EXPECT_EQ(editor.note(), QString("2 layers · 28 parameters"));
    document.edit("", [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    EXPECT_TRUE(model->rowOf(model->indexOf({0}))->bad);
    EXPECT_TRUE(editor.note().contains("not valid"));
    EXPECT_GT(editor.grab().width(), 0);
    document.undoStack().undo();
    EXPECT_FALSE(model->rowOf(model->indexOf({0}))->bad);
}

TEST_F(StackEditorTest, AnErrorOfSeveralLinesLeavesTheLayersTheirPlace) {
    open("conv relu gelu");
    document.edit("", [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    const auto labels = editor.findChildren<widgets::WrappedLabel*>();
    const auto shown = std::ranges::find_if(labels, [](const auto* label) { return label->isVisible(); });
    ASSERT_NE(shown, labels.end());
    const widgets::WrappedLabel* const message = *shown;
    editor.resize(260, editor.minimumSizeHint().height());
    QCoreApplication::processEvents();
    const auto top = [this](const QWidget* widget) { return widget->mapTo(&editor, QPoint()).y(); };
    EXPECT_GE(top(message), top(view) + view->height());
    EXPECT_GE(message->height(), message->heightForWidth(message->width()));
    EXPECT_GT(message->heightForWidth(message->width()), 2 * message->fontMetrics().height());
}

TEST_F(StackEditorTest, TogglesCheckpointOnBlocksOnly) {
    open("conv [relu]");
    editor.select({{0}});
    editor.toggleCheckpoint();
    EXPECT_EQ(document.undoStack().count(), 0);
    editor.select({{1}});
    editor.toggleCheckpoint();
    EXPECT_TRUE(std::get<stack::Block>(document.experiment().stack[1].op).checkpoint);
}

TEST_F(StackEditorTest, EveryPresetAppliesAndIsValid) {
    open("conv");
    emit editor.presetsMenu()->aboutToShow();
    const QList<QAction*> presets = editor.presetsMenu()->actions();
    ASSERT_GE(presets.size(), 5);
    for (QAction* preset : presets) {
        preset->trigger();
        EXPECT_TRUE(document.info().ok()) << preset->text().toStdString();
    }
}

TEST_F(StackEditorTest, RandomEditsKeepTheViewInStepWithTheStack) {
    open("conv [relu gelu [silu]] conv");
    unsigned seed = 7;
    const auto random = [&seed](int below) {
        seed = seed * 1664525u + 1013904223u;
        return static_cast<int>((seed >> 16) % static_cast<unsigned>(below));
    };
    for (int i = 0; i < 300; ++i) {
        const Paths paths = allPaths(document.experiment().stack);
        if (!paths.empty()) {
            editor.select({paths[random(static_cast<int>(paths.size()))]});
        }
        switch (random(8)) {
            case 0:
                editor.removeSelected();
                break;
            case 1:
                editor.addLayer("conv");
                break;
            case 2:
                editor.moveSelected(random(2) ? 1 : -1);
                break;
            case 3:
                editor.groupSelected();
                break;
            case 4:
                editor.ungroupSelected();
                break;
            case 5:
                editor.addLayer("relu");
                break;
            case 6:
                document.undoStack().undo();
                break;
            default:
                document.undoStack().redo();
        }
        const Paths now = allPaths(document.experiment().stack);
        int shown = 0;
        for (const Path& path : now) {
            const QModelIndex index = model->indexOf(path);
            ASSERT_TRUE(index.isValid());
            ASSERT_EQ(*model->layerOf(index), *layerAt(document.experiment().stack, path));
            ASSERT_EQ(model->rowOf(index)->number, ++shown);
            ASSERT_EQ(model->pathOf(index), path);
        }
    }
}

TEST_F(StackEditorTest, TheNumberOfTheHundredthLayerHasRoom) {
    const auto widthOf = [&](int layers) {
        std::string all = "conv";
        for (int i = 1; i < layers; ++i) {
            all += " relu";
        }
        open(all);
        QStyleOptionViewItem option;
        option.initFrom(view);
        return view->itemDelegate()->sizeHint(option, model->indexOf({1}, StackModel::Type)).width();
    };
    const int few = widthOf(99),
              digit = QFontMetrics(widgets::smallFont(view->font())).horizontalAdvance('0');
    EXPECT_EQ(widthOf(9), few) << "names do not jump while a short stack grows";
    EXPECT_GE(widthOf(100), few + digit - 1);
    EXPECT_GE(widthOf(1000), few + 2 * digit - 1);
}

TEST_F(StackEditorTest, ARefusedPasteIsForgottenWhenTheUserGoesOn) {
    open("conv relu");
    editor.select({{0}});
    const auto said = [&] {
        for (const QLabel* label : editor.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().startsWith("Cannot paste")) {
                return true;
            }
        }
        return false;
    };
    const auto refuse = [&] {
        QGuiApplication::clipboard()->setText("not layers");
        editor.paste();
        ASSERT_TRUE(said());
    };
    refuse();
    editor.setPrediction(nullptr);
    EXPECT_TRUE(said()) << "a prediction that arrives is not the user's";
    editor.select({{1}});
    EXPECT_FALSE(said());
    refuse();
    press(Qt::Key_C, Qt::ControlModifier);
    EXPECT_FALSE(said()) << "the clipboard holds something else";
    refuse();
    document.edit("more", [](stack::Experiment& e) { e.step.batchSize = 4; });
    EXPECT_FALSE(said());
    document.edit("bad",
                  [](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    refuse();
    editor.select({{0}});
    EXPECT_FALSE(said()) << "what is wrong with the stack is said again";
}

TEST_F(StackEditorTest, AMarkThatIsNotInUseIsNotCalledACheckpoint) {
    open("[conv relu]");
    document.edit("mark",
                  [](stack::Experiment& e) { std::get<stack::Block>(e.stack[0].op).checkpoint = true; });
    const auto options = [&] {
        return model->indexOf({0}, StackModel::Options).data().toString().toStdString();
    };
    EXPECT_TRUE(options().ends_with("checkpoint")) << options();
    document.edit("none",
                  [](stack::Experiment& e) { e.step.checkpoint.kind = stack::Checkpointing::Kind::None; });
    EXPECT_TRUE(options().ends_with("checkpoint off")) << options();
}

}  // namespace
}  // namespace highwater::desktop
