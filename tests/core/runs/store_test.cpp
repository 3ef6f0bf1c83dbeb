#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <set>

#include "tests/core/runs/store_fixture.h"

namespace highwater::runs {
namespace {

using highwater::runs::test::StoreTest;
using ::testing::HasSubstr;
using wire::RunStatus;
using Store = StoreTest;

TEST_F(Store, ListsOldestFirstWithStableNumbers) {
    auto store = open();
    const std::string first = finished(store, "one"), second = finished(store, "two"),
                      third = finished(store, "three");
    ASSERT_TRUE(store.remove(second));
    auto rows = open().list();
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_EQ(rows->at(0).id, first);
    EXPECT_EQ(rows->at(1).id, third);
    EXPECT_EQ(rows->at(1).number, 3);
    ASSERT_TRUE(store.remove(third));
    EXPECT_EQ(find(store, finished(store)).number, 4);  // a number is never reused
}

TEST_F(Store, FindsByIdByBeginningAndByNumber) {
    auto store = open();
    const std::string first = finished(store, "one"), second = finished(store, "two");
    EXPECT_EQ(store.load(first)->summary.id, first);
    EXPECT_EQ(store.load("2")->summary.id, second);
    EXPECT_EQ(store.load(first.substr(0, first.size() - 1))->summary.id, first);
    const auto both = store.load("20");
    ASSERT_FALSE(both);
    EXPECT_THAT(both.error().message, HasSubstr("fits 2 runs"));
    for (const char* wrong : {"3", "", "../..", "no such", "99999999999999999999"}) {
        const auto none = store.load(wrong);
        ASSERT_FALSE(none) << wrong;
        EXPECT_THAT(none.error().message, HasSubstr("no run"));
    }
}

TEST_F(Store, RemovesTheFolder) {
    auto store = open();
    const std::string id = finished(store);
    ASSERT_TRUE(store.remove("1"));
    EXPECT_FALSE(std::filesystem::exists(run(id)));
    EXPECT_TRUE(store.list()->empty());
    EXPECT_FALSE(store.remove(id));
}

TEST_F(Store, TheIndexIsRebuiltWhenItIsMissing) {
    auto store = open();
    const std::string id = finished(store, "kept");
    const auto before = *store.list();
    std::filesystem::remove(index());
    EXPECT_EQ(*open().list(), before);
    EXPECT_TRUE(std::filesystem::exists(index()));
    ASSERT_TRUE(store.rebuildIndex());
    EXPECT_EQ(*store.list(), before);
}

TEST_F(Store, TheIndexIsRebuiltWhenItIsDamaged) {
    auto store = open();
    finished(store, "one");
    finished(store, "two");
    const auto before = *store.list();
    const std::string good = *base::readFile(index());
    std::string torn = good;
    for (std::size_t i = 100; i < torn.size(); i += 7) {
        torn[i] = '\x5a';
    }
    for (const std::string& bad :
         {std::string("not a database at all, but long enough to look at"), std::string(4096, 'x'),
          std::string(), good.substr(0, good.size() / 2), torn}) {
        write(index(), bad);
        EXPECT_EQ(*open().list(), before);
        EXPECT_EQ(*store.list(), before);
    }
}

/// None of its numbers is reused, and it says why it takes longer.
TEST_F(Store, AnIndexOfANewerVersionIsKept) {
    auto store = open();
    finished(store);
    const std::string last = finished(store);
    ASSERT_TRUE(store.remove(last));
    const auto before = *store.list();
    EXPECT_EQ(store.note(), "");
    std::string newer = *base::readFile(index());
    newer[63] = 99;                         // user_version: bytes 60 to 63 of the header
    for (const char mode : {'\1', '\2'}) {  // a newer version may have a write-ahead log
        newer[18] = newer[19] = mode;
        write(index(), newer);
        EXPECT_EQ(*open().list(), before);
        EXPECT_THAT(open().note(), HasSubstr("index.db was written by a newer Highwater"));
        EXPECT_FALSE(open().rebuildIndex());
        const std::string another = finished(store);
        EXPECT_EQ(find(store, another).number, mode == '\1' ? 3 : 4);
        ASSERT_TRUE(store.remove(another));
        EXPECT_EQ(*base::readFile(index()), newer);
    }
}

/// The file is valid, so it is kept: it contains the numbers of runs that were removed.
/// The tables as created by 0.1.0.
TEST_F(Store, AnOlderIndexIsReplacedAndTheHighestNumberStays) {
    RunStore store = open();
    const std::string id = finished(store);
    std::filesystem::remove(index());
    {
        SQLite::Database old(index().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        old.exec(
            "CREATE TABLE runs (id TEXT PRIMARY KEY, stamp INTEGER NOT NULL); CREATE TABLE highest (number "
            "INTEGER NOT NULL); INSERT INTO highest VALUES (41); PRAGMA user_version = 1");
    }
    EXPECT_EQ(find(store, id).name, "a run");
    EXPECT_EQ(find(store, create(store)).number, 42);
}

TEST_F(Store, TheIndexStaysWhereThereIsNoMemoryToReadIt) {
    auto store = open();
    finished(store);
    const std::string last = finished(store);
    ASSERT_TRUE(store.remove(last));
    const auto before = *store.list();
    const std::string good = *base::readFile(index());
    const sqlite3_int64 limit = sqlite3_hard_heap_limit64(1);
    EXPECT_EQ(*open().list(), before);
    sqlite3_hard_heap_limit64(limit);
    ASSERT_TRUE(std::filesystem::exists(index()));
    EXPECT_EQ(*base::readFile(index()), good);
    EXPECT_EQ(find(store, finished(store)).number, 3);
}

TEST_F(Store, AnIndexOfOtherTablesIsRebuilt) {
    auto store = open();
    finished(store);
    const auto before = *store.list();
    for (const char* const change :
         {"DROP TABLE runs", "ALTER TABLE runs DROP COLUMN step_n", "DROP TABLE highest"}) {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(index().c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, change, nullptr, nullptr, nullptr), SQLITE_OK) << change;
        sqlite3_close(database);
        EXPECT_EQ(*open().list(), before) << change;
    }
    EXPECT_EQ(find(store, finished(store)).number, 2);
}

TEST_F(Store, AnIndexThatCannotBeWrittenOnlyCostsTime) {
    auto store = open();
    finished(store);
    const auto before = *store.list();
    std::filesystem::remove(index());
    std::filesystem::create_directory(index());
    EXPECT_EQ(*open().list(), before);
    EXPECT_EQ(find(store, finished(store)).number, 2);
}

TEST_F(Store, ADamagedRunIsListedAsSuch) {
    auto store = open();
    const std::string whole = finished(store, "whole"), torn = finished(store, "torn"),
                      bad = finished(store, "bad");
    ASSERT_TRUE(store.list());
    write(run(torn) / "state.json", "{\"schema\": ");
    write(run(bad) / "experiment.json", "[]");
    std::filesystem::remove(index());
    std::filesystem::create_directory(run("20260101-000000-empty0"));
    write(folder_.path() / "store" / "runs" / "a file", "x");
    const auto rows = open().list();
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->size(), 4U);
    EXPECT_EQ(find(store, whole).status, RunStatus::Done);
    EXPECT_EQ(find(store, torn).status, RunStatus::Failed);
    EXPECT_THAT(find(store, torn).message, HasSubstr("damaged"));
    EXPECT_THAT(find(store, bad).message, HasSubstr("experiment.json"));
    EXPECT_EQ(find(store, bad).number, 3);
    EXPECT_THAT(find(store, "20260101-000000-empty0").message, HasSubstr("state.json"));
    EXPECT_FALSE(store.load(bad));
    EXPECT_TRUE(store.remove(torn));
}

TEST_F(Store, ADamagedResultIsPutTogetherFromEvents) {
    auto store = open();
    const std::string id = create(store);
    {
        auto writer = RunWriter::open(run(id));
        ASSERT_TRUE(writer->append(highwater::runs::test::startedOf(id)));
        ASSERT_TRUE(writer->append(highwater::runs::test::stepOf(0, 10, 5000)));
        wire::StepDone waited = highwater::runs::test::stepOf(1, 1000, 5000);
        waited.waited = true;  // its time does not count
        ASSERT_TRUE(writer->append(waited));
        ASSERT_TRUE(writer->finish(highwater::runs::test::resultOf(id)));
    }
    write(run(id) / "result.json", "{}");
    const auto record = store.load(id);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->summary.status, RunStatus::Done);
    EXPECT_EQ(record->result.status, RunStatus::Done);
    EXPECT_EQ(record->result.peakAllocated, 5000);
    EXPECT_EQ(record->result.stepMs.n, 1);
    EXPECT_EQ(record->result.stepMs.median, 10);
    EXPECT_EQ(record->result.losses.size(), 2U);
}

TEST_F(Store, WhatAnInterruptedCreateOrRemoveLeftIsCleared) {
    open();
    std::filesystem::create_directories(run(".new-20260101-000000-abcdef"));
    std::filesystem::create_directories(run(".deleted-20260101-000000-abcdef"));
    EXPECT_TRUE(open().list()->empty());
    EXPECT_TRUE(std::filesystem::is_empty(run("")));
}

TEST_F(Store, AFolderThatCannotBeOneIsAnError) {
    write(folder_.path() / "file", "x");
    const auto store = RunStore::open(folder_.path() / "file");
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().message, HasSubstr("file"));
}

/// Several programs at once: every run gets a unique number and none is lost.
TEST_F(Store, ManyProcessesShareAStore) {
    open();
    constexpr int kProcesses = 4, kRuns = 6;
    std::vector<pid_t> children;
    for (int p = 0; p < kProcesses; ++p) {
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            auto store = RunStore::open(folder_.path() / "store");
            bool good = store.ok();
            for (int i = 0; good && i < kRuns; ++i) {
                const auto folder =
                    store->create(highwater::runs::test::experimentNamed("p" + std::to_string(p)), "cpu");
                good = folder.ok();
                auto writer = RunWriter::open(*folder);
                good = good && writer && writer->append(highwater::runs::test::startedOf("x")) &&
                       writer->finish(highwater::runs::test::resultOf(folder->filename().string())) &&
                       store->settle(folder->filename().string(), 0, "").ok();
            }
            ::_exit(good ? 0 : 1);
        }
        children.push_back(pid);
    }
    for (const pid_t pid : children) {
        int status = 0;
        ::waitpid(pid, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    const auto rows = open().list();
    ASSERT_TRUE(rows);
    std::set<int> numbers;
    for (const RunSummary& row : *rows) {
        EXPECT_EQ(row.status, RunStatus::Done) << row.message;
        numbers.insert(row.number);
    }
    EXPECT_EQ(rows->size(), static_cast<std::size_t>(kProcesses * kRuns));
    EXPECT_EQ(numbers.size(), rows->size());
    EXPECT_EQ(*numbers.begin(), 1);
    EXPECT_EQ(*numbers.rbegin(), kProcesses * kRuns);
}

}  // namespace
}  // namespace highwater::runs
