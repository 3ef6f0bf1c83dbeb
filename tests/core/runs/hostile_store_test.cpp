#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "core/base/line_file.h"
#include "core/runs/losses.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_numbers.h"
#include "core/runs/trace_store.h"
#include "tests/core/runs/store_fixture.h"

namespace highwater::runs {
namespace {

using highwater::runs::test::StoreTest;
using ::testing::HasSubstr;

/// Malicious contents of a store: none of them may block the reader, use up its memory or change another
/// file.
class HostileStore : public StoreTest {
protected:
    /// A run that has no result.json, so that its events are read.
    std::string withoutResult(RunStore& store) {
        const std::string id = finished(store);
        std::filesystem::remove(run(id) / "result.json");
        std::filesystem::remove(index());
        return id;
    }
    std::filesystem::path trace(const std::string& id) const { return traceFile(run(id)); }
    void makeTrace(const std::string& id) const {
        auto writer = TraceWriter::create(run(id), {});
        ASSERT_TRUE(writer && writer->finish());
    }
    std::string outside(const std::string& text) const { return folder_.write("outside", text); }
    std::string textOutside() const { return *base::readFile(folder_.path() / "outside"); }
    /// A rollback journal of this database that asks SQLite to delete a file.
    static std::string journalOver(const std::filesystem::path& database, const std::string& victim) {
        const auto big = [](std::size_t value) {
            std::string text;
            for (const int shift : {24, 16, 8, 0}) {
                text += static_cast<char>(value >> shift & 0xFFU);
            }
            return text;
        };
        const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8), file = *base::readFile(database);
        const auto byte = [&](std::size_t at) {
            return static_cast<std::size_t>(static_cast<unsigned char>(file[at]));
        };
        const std::size_t page = byte(16) << 8U | byte(17);
        std::string head = magic + big(0) + big(0) + big(file.size() / page) + big(512) + big(page);
        head.resize(512, '\0');
        std::size_t sum = 0;
        for (const char c : victim) {
            sum += static_cast<std::size_t>(c);
        }
        return head + big(1) + victim + big(victim.size()) + big(sum) + magic;
    }
};

TEST_F(HostileStore, EventsAreReadFromAFileAlone) {
    auto store = open();
    const std::string id = withoutResult(store);
    const auto events = run(id) / "events.jsonl";
    for (const char* const device : {"", "/dev/zero", "/dev/tty"}) {
        std::filesystem::remove(events);
        if (*device == '\0') {
            ASSERT_EQ(::mkfifo(events.c_str(), 0600), 0);
        } else {
            std::filesystem::create_symlink(device, events);
        }
        EXPECT_EQ(find(open(), id).status, wire::RunStatus::Done);
        EXPECT_TRUE(store.load(id)->events.empty());
        EXPECT_FALSE(readProgress(run(id)));
        EXPECT_TRUE(readLosses(run(id)).values.empty());
        std::filesystem::remove(index());
    }
}

/// A sparse terabyte of zeros after two events.
TEST_F(HostileStore, ALineWithoutEndEndsTheReading) {
    auto store = open();
    const std::string id = withoutResult(store);
    const auto events = run(id) / "events.jsonl";
    write(events, wire::toLine(highwater::runs::test::startedOf(id)) +
                      wire::toLine(highwater::runs::test::stepOf(0, 10, 500)));
    std::filesystem::resize_file(events, std::uintmax_t{1} << 40);
    EXPECT_EQ(readEvents(run(id)).size(), 2U);
    EXPECT_EQ(find(open(), id).peakAllocated, 500);
    ASSERT_TRUE(readProgress(run(id)));
}

TEST_F(HostileStore, LinesThatAreNoEventsEndTheReading) {
    auto store = open();
    const std::string id = withoutResult(store);
    const std::string step = wire::toLine(highwater::runs::test::stepOf(0, 10, 500));
    for (const auto& [damaged, events] : {std::pair(999, 2U), {1000, 1U}}) {
        std::string text = step;
        for (int i = 0; i < damaged; ++i) {
            text += "x\n";
        }
        write(run(id) / "events.jsonl", text + step);
        EXPECT_EQ(readEvents(run(id)).size(), events);
    }
}

TEST_F(HostileStore, AnIndexOfViewsIsRebuilt) {
    auto store = open();
    finished(store);
    const auto before = *store.list();
    for (const char* const change :
         {"DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM "
          "n) "
          "SELECT x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x FROM n",
          "DROP TABLE highest; CREATE VIEW highest AS WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT "
          "number + 1 FROM n) SELECT number FROM n",
          "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
          "PRAGMA user_version = 1; DROP TABLE highest; CREATE VIEW highest AS WITH RECURSIVE n(number) AS "
          "(SELECT 1 UNION ALL SELECT "
          "number + 1 FROM n) SELECT number FROM n"}) {
        EXPECT_EQ(*open().list(), before);
        {
            SQLite::Database database(index().string(), SQLite::OPEN_READWRITE);
            database.exec(change);
        }
        EXPECT_EQ(*open().list(), before) << change;
        EXPECT_EQ(find(store, finished(store)).number, static_cast<int>(before.size()) + 1) << change;
        ASSERT_TRUE(store.remove(std::to_string(before.size() + 1))) << change;
        write(folder_.path() / "store" / "last-number", std::to_string(before.size()));
        std::filesystem::remove(index());
    }
}

/// SQLite opens a journal without checking its type, and deletes a file that it names.
TEST_F(HostileStore, JournalsAreFilesAndNameNone) {
    auto store = open();
    const std::string id = finished(store);
    makeTrace(id);
    const auto before = *store.list();
    const std::string victim = outside("precious");
    for (const auto& database : {index(), trace(id)}) {
        for (const char* const end : {"-journal", "-wal", "-shm"}) {
            SCOPED_TRACE(database.filename().string() + end);
            const std::filesystem::path beside = database.string() + end;
            ASSERT_EQ(::mkfifo(beside.c_str(), 0600), 0);
            EXPECT_EQ(*open().list(), before);
            EXPECT_EQ(inspectTrace(run(id)).ok(), database == index());
            std::filesystem::remove(beside);
        }
        write(database.string() + "-journal", journalOver(database, victim));
        EXPECT_EQ(*open().list(), before);
        const auto info = inspectTrace(run(id));
        EXPECT_EQ(info ? "" : info.error().message,
                  database == index()
                      ? ""
                      : trace(id).string() + " has a rollback journal that names another file");
        EXPECT_EQ(textOutside(), "precious");
        std::filesystem::remove(database.string() + "-journal");
    }
    EXPECT_TRUE(inspectTrace(run(id)));
}

/// These files are written to: if they are links, a file outside of the store would be changed.
TEST_F(HostileStore, WhatIsWrittenIsNoLink) {
    auto store = open();
    const std::string id = finished(store);
    makeTrace(id);
    const auto before = *store.list();
    const std::string database = *base::readFile(index()), recorded = *base::readFile(trace(id));
    outside(recorded);
    std::filesystem::remove(trace(id));
    std::filesystem::create_symlink(folder_.path() / "outside", trace(id));
    EXPECT_THAT(inspectTrace(run(id)).error().message, HasSubstr("is not a regular file"));
    outside(database);
    std::filesystem::remove(index());
    std::filesystem::create_symlink(folder_.path() / "outside", index());
    EXPECT_EQ(*open().list(), before);
    finished(store);
    EXPECT_EQ(textOutside(), database);
}

TEST_F(HostileStore, NumbersNeitherEndNorComeAgain) {
    auto store = open();
    finished(store);
    const std::string foreign = finished(store);
    const auto setNumber = [&](const std::string& id, int number) {
        auto state = *readState(run(id));
        state.number = number;
        ASSERT_TRUE(writeState(run(id), state));
    };
    setNumber(foreign, std::numeric_limits<int>::max());
    EXPECT_EQ(find(store, foreign).number, std::numeric_limits<int>::max());
    EXPECT_EQ(find(store, finished(store)).number, 3);
    setNumber(foreign, 4000);  // of a run that was copied here
    const std::string last = finished(store);
    EXPECT_EQ(find(store, last).number, 4001);
    ASSERT_TRUE(store.remove(last));
    write(index(), "damaged");
    EXPECT_EQ(find(store, finished(store)).number, 4002);
}

TEST_F(HostileStore, TheNextNumberIsNobodys) {
    constexpr int kLast = std::numeric_limits<int>::max();
    EXPECT_EQ(*nextNumber(0, {}), 1);
    EXPECT_EQ(*nextNumber(7, {3, 5, 0}), 8);
    EXPECT_EQ(*nextNumber(3, {9, 5}), 10);
    EXPECT_EQ(*nextNumber(3, {kLast}), 4);
    EXPECT_EQ(*nextNumber(3, {kMostBelievedNumber + 2, kMostBelievedNumber}), kMostBelievedNumber + 1);
    EXPECT_EQ(*nextNumber(kMostBelievedNumber + 1, {kMostBelievedNumber + 2}), kMostBelievedNumber + 3);
    EXPECT_EQ(*nextNumber(kLast - 1, {}), kLast);
    EXPECT_THAT(nextNumber(kLast, {}).error().message, HasSubstr("use another store"));
    EXPECT_FALSE(nextNumber(kLast - 1, {kLast}));
}

/// Listing waits for nothing; operations that change the store say what they wait for.
TEST_F(HostileStore, ALockedStoreIsListedAndSaysWhatItWaitsFor) {
    finished(*std::make_unique<RunStore>(open()));
    base::Descriptor lock(::open((folder_.path() / "store" / "lock").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
    std::vector<std::string> said;
    auto store = RunStore::open(folder_.path() / "store", [&](const std::string& what) {
        said.push_back(what);
        lock = base::Descriptor();  // released, because the store waits for it
    });
    ASSERT_TRUE(store);
    EXPECT_EQ(store->list()->size(), 1U);
    EXPECT_TRUE(said.empty());
    EXPECT_EQ(find(*store, create(*store)).number, 2);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_THAT(said[0], HasSubstr("waiting for another program, which has locked"));
    EXPECT_EQ(said[1], "");
}

}  // namespace
}  // namespace highwater::runs
