#include "app/desktop/run/modules_panel.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QToolButton>
#include <QTreeWidget>

namespace highwater::desktop {
namespace {

using base::kMiB;

std::vector<wire::LayerCost> modules(base::Bytes first) {
    return {{"encoder.0.conv", "Conv3d", {2, 32, 64, 64, 64}, 864, first, 1.5, 3},
            {"encoder.0.norm", "InstanceNorm3d", {2, 32, 64, 64, 64}, 64, 4 * kMiB, 0.5, 1},
            {"encoder.1.conv", "Conv3d", {2, 64, 32, 32, 32}, 55296, 2 * kMiB, 1, 2},
            {"head", "Conv3d", {}, 66, 0, 0, 0}};
}

QTreeWidgetItem* row(const ModulesPanel& panel, const QString& name) {
    const auto found =
        panel.findChild<QTreeWidget*>()->findItems(name, Qt::MatchStartsWith | Qt::MatchRecursive);
    return found.isEmpty() ? nullptr : found.front();
}

TEST(ModulesPanel, SumsAreThoseOfTheModulesInside) {
    const auto sums = sumsByModule(modules(8 * kMiB));
    ASSERT_EQ(sums.size(), 7u) << "encoder, encoder.0, encoder.1, three modules in them, and head";
    EXPECT_EQ(sums.at("encoder").activations, 14 * kMiB);
    EXPECT_EQ(sums.at("encoder.0").activations, 12 * kMiB);
    EXPECT_EQ(sums.at("encoder").parameters, 864 + 64 + 55296);
    EXPECT_DOUBLE_EQ(sums.at("encoder.0").backward, 4);
}

TEST(ModulesPanel, IsATreeInTheOrderOfTheModel) {
    ModulesPanel panel;
    panel.setRun("a", "run #1, watched", modules(8 * kMiB));
    const auto* tree = panel.findChild<QTreeWidget*>();
    ASSERT_EQ(tree->topLevelItemCount(), 2);
    EXPECT_EQ(tree->topLevelItem(0)->text(0), "encoder");
    EXPECT_EQ(tree->topLevelItem(0)->text(1), "14.0 MiB");
    EXPECT_TRUE(tree->topLevelItem(0)->isExpanded());
    EXPECT_EQ(tree->topLevelItem(1)->text(0), "head  Conv3d");
    EXPECT_EQ(tree->topLevelItem(1)->text(1), "") << "nothing known is nothing written";
    EXPECT_EQ(panel.note(), "run #1, watched");
}

TEST(ModulesPanel, ComparesWithTheRunBefore) {
    ModulesPanel panel;
    auto* const compare = panel.findChild<QToolButton*>();
    panel.setRun("a", "run #1, watched", modules(8 * kMiB));
    EXPECT_TRUE(compare->isHidden()) << "there was none before";
    panel.setRun("b", "run #2, watched", modules(5 * kMiB));
    ASSERT_FALSE(compare->isHidden());
    EXPECT_EQ(compare->text(), "Compare with run #1, watched");
    compare->click();
    EXPECT_EQ(row(panel, "conv")->text(1), "5.00 MiB  −3.00 MiB");
    EXPECT_EQ(row(panel, "norm")->text(1), "4.00 MiB");
    panel.setRun("c", "run #3, watched", {{"other", "Linear", {}, 1, 1, 1, 1}});
    EXPECT_TRUE(compare->isHidden()) << "another model";
}

TEST(ModulesPanel, AnUpdateKeepsWhatIsFolded) {
    ModulesPanel panel;
    panel.setRun("a", "run #1, watched", modules(8 * kMiB));
    panel.findChild<QTreeWidget*>()->topLevelItem(0)->setExpanded(false);
    panel.setRun("a", "run #1, watched", modules(9 * kMiB));
    EXPECT_FALSE(panel.findChild<QTreeWidget*>()->topLevelItem(0)->isExpanded());
    EXPECT_EQ(panel.findChild<QTreeWidget*>()->topLevelItem(0)->text(1), "15.0 MiB");
}

TEST(ModulesPanel, AModuleIsChosenByItsName) {
    ModulesPanel panel;
    panel.setRun("a", "run #1, watched", modules(8 * kMiB));
    QSignalSpy chosen(&panel, &ModulesPanel::moduleChosen);
    auto* const tree = panel.findChild<QTreeWidget*>();
    emit tree->itemActivated(row(panel, "norm"), 0);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toString(), "encoder.0.norm");
    emit tree->itemActivated(tree->topLevelItem(0), 0);
    EXPECT_EQ(chosen.size(), 1) << "one with others inside folds";
}

}  // namespace
}  // namespace highwater::desktop
