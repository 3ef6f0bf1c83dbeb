#include "core/runs/labels.h"

#include "tests/core/runs/store_fixture.h"

namespace highwater::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LabelsTest : public test::StoreTest {};

TEST_F(LabelsTest, AreOnDiskInTheRunsFolderAndInTheList) {
    RunStore store = open();
    const std::string id = finished(store, "unet");
    const auto row = store.label("1", {"the first one", "for the paper", {}, {"paper", "baseline"}});
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->name, "the first one");
    EXPECT_EQ(row->note, "for the paper");
    EXPECT_THAT(row->tags, ElementsAre("paper", "baseline"));
    EXPECT_EQ(readLabels(run(id))->name, "the first one");
    EXPECT_EQ(find(store, id), *row);
    EXPECT_EQ(store.load(id)->summary, *row);
    EXPECT_EQ(store.load(id)->experiment.name, "unet");
}

TEST_F(LabelsTest, SurviveARebuiltIndexAndAnotherProgram) {
    RunStore store = open();
    const std::string id = finished(store);
    RunStore other = open();
    const auto row = store.label(id, {{}, "kept", {}, {"paper"}});
    ASSERT_TRUE(row);
    EXPECT_EQ(find(other, id), *row) << "a row that is indexed without labels is read anew";
    ASSERT_TRUE(store.rebuildIndex());
    EXPECT_EQ(find(store, id), *row);
    std::filesystem::remove(index());
    EXPECT_EQ(find(open(), id), *row);
}

TEST_F(LabelsTest, AnEmptyNameIsTheExperimentsAgain) {
    RunStore store = open();
    const std::string id = finished(store, "unet");
    ASSERT_EQ(store.label(id, {"other"})->name, "other");
    EXPECT_EQ(store.label(id, {"  "})->name, "unet");
    EXPECT_EQ(find(store, id).name, "unet");
}

TEST_F(LabelsTest, ChangeOneThingAtATime) {
    RunStore store = open();
    const std::string id = finished(store);
    ASSERT_TRUE(store.label(id, {"a name", "a note", std::vector<std::string>{"one", "two"}}));
    const auto row = store.label(id, {{}, {}, {}, {"three", "ONE"}, {"Two"}});
    ASSERT_TRUE(row);
    EXPECT_EQ(row->name, "a name");
    EXPECT_EQ(row->note, "a note");
    EXPECT_THAT(row->tags, ElementsAre("one", "three"));
}

TEST_F(LabelsTest, OfARunInProgressStayWhenItEnds) {
    RunStore store = open();
    const std::string id = create(store);
    auto writer = RunWriter::open(run(id));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(store.label(id, {"renamed while it runs"}));
    ASSERT_TRUE(writer->append(test::startedOf(id)));
    ASSERT_TRUE(writer->finish(test::resultOf(id)));
    EXPECT_EQ(find(store, id).name, "renamed while it runs");
}

TEST_F(LabelsTest, RefuseInOneLineAndThenStayAsTheyWere) {
    RunStore store = open();
    const std::string id = finished(store);
    ASSERT_TRUE(store.label(id, {"kept", "kept", {}, {"kept"}}));
    const auto refusal = [&](const LabelChange& change) {
        const auto row = store.label(id, change);
        EXPECT_FALSE(row);
        EXPECT_EQ(row.error().message.find('\n'), std::string::npos);
        return row.error().message;
    };
    EXPECT_THAT(refusal({{}, {}, {}, {"two words"}}), HasSubstr("one short word"));
    EXPECT_THAT(refusal({{}, {}, {}, {"a=b"}}), HasSubstr("one short word"));
    EXPECT_THAT(refusal({{}, {}, {}, {""}}), HasSubstr("one short word"));
    EXPECT_THAT(refusal({{}, {}, {}, {std::string(kMostTag + 1, 'x')}}), HasSubstr("too long"));
    EXPECT_THAT(refusal({std::string(kMostName + 1, 'x')}), HasSubstr("name is too long"));
    EXPECT_THAT(refusal({{}, std::string(kMostNote + 1, 'x')}), HasSubstr("note is too long"));
    std::vector<std::string> many;
    for (std::size_t i = 0; i <= kMostTags; ++i) {
        many.push_back("t" + std::to_string(i));
    }
    EXPECT_THAT(refusal({{}, {}, many}), HasSubstr("at most 20 tags"));
    EXPECT_EQ(find(store, id).name, "kept");
    EXPECT_THAT(find(store, id).tags, ElementsAre("kept"));
}

TEST_F(LabelsTest, ADamagedFileIsSaidAndIsNotOverwritten) {
    RunStore store = open();
    const std::string id = finished(store, "unet");
    write(run(id) / "labels.json", R"({"schema": "highwater.labels/1", "tags": "paper"})");
    EXPECT_EQ(find(store, id).status, wire::RunStatus::Done);
    EXPECT_THAT(find(store, id).message, HasSubstr("labels.json"));
    EXPECT_FALSE(store.label(id, {"new"}));
}

TEST_F(LabelsTest, NamesAreOneLineOfText) {
    const auto labels = changed({}, {"  two\nlines\t", "a\xff"});
    ASSERT_TRUE(labels);
    EXPECT_EQ(labels->name, "two lines");
    EXPECT_EQ(labels->note, "a\uFFFD");
}

TEST_F(LabelsTest, TagsAreTheWordsOfALine) {
    EXPECT_THAT(*parseTags(" paper, baseline  x"), ElementsAre("paper", "baseline", "x"));
    EXPECT_TRUE(parseTags("")->empty());
    EXPECT_FALSE(parseTags("a<b"));
}

TEST_F(LabelsTest, ARunKnowsItsStudy) {
    RunStore store = open();
    const Study study = newStudy("widths");
    const auto folder = store.create(test::experimentNamed("one"), "cpu", study);
    ASSERT_TRUE(folder);
    const std::string id = folder->filename().string();
    EXPECT_EQ(find(store, id).study, study);
    ASSERT_TRUE(store.label(id, {{}, "a note"}));
    EXPECT_EQ(find(store, id).study, study);
    EXPECT_EQ(find(store, finished(store)).study, Study());
    EXPECT_NE(newStudy("widths").id, study.id);
}

TEST_F(LabelsTest, ARunKnowsItsPartOfTheStudy) {
    Study part = newStudy("widths");
    part.cell = 3;
    part.repeat = 0;
    std::string id;
    {
        RunStore store = open();
        const auto folder = store.create(test::experimentNamed("one"), "cpu", part);
        ASSERT_TRUE(folder);
        id = folder->filename().string();
        ASSERT_TRUE(store.settle(id, 4, "it failed"));
        EXPECT_EQ(find(store, id).study, part);
        part.place = "node n1 of lab";
        LabelChange change;
        change.place = part.place;
        ASSERT_TRUE(store.label(id, change));
        EXPECT_EQ(find(store, id).study, part);
    }
    EXPECT_EQ(find(open(), id).study, part);  // from the index
}

}  // namespace
}  // namespace highwater::runs
