#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <span>

#include "core/base/file.h"
#include "core/runs/losses.h"
#include "core/runs/trace_store.h"
#include "tests/core/runs/store_fixture.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/rounds.h"

namespace highwater::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOfRun[] = {"state.json",        "experiment.json", "labels.json",  "follower.json",
                                  "events.jsonl",      "result.json",     "stderr.txt",   "trace.db",
                                  "trace.db-journal",  "trace.db-wal",    "trace.db-shm", "trace.chunks",
                                  "trace.chunks.part", "previews"};
constexpr const char* kOfStore[] = {"index.db", "index.db-journal", "index.db-wal", "index.db-shm",
                                    "lock",     "last-number"};

/// Limits the address space to its current size plus a margin.
class AddressSpace {
public:
    explicit AddressSpace(base::Bytes more) {
        ::getrlimit(RLIMIT_AS, &before_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        rlimit limit = before_;
        limit.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + static_cast<rlim_t>(more);
        ::setrlimit(RLIMIT_AS, &limit);
#else
        static_cast<void>(more);
#endif
    }
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }

private:
    rlimit before_{};
};

/// A store with a run, one of whose files is replaced with something else.
class RunFolderFuzz : public highwater::runs::test::StoreTest {
protected:
    fs::path outside() const { return folder_.path() / "outside"; }

    std::string makeStore(std::uint64_t round) {
        fs::remove_all(folder_.path() / "store");
        auto store = open();
        const std::string id = finished(store);
        auto writer = TraceWriter::create(run(id), {"1 conv"});
        EXPECT_TRUE(writer && writer->finish());
        if (round % 2 == 1) {  // its events are read
            fs::remove(run(id) / "result.json");
            fs::remove(index());
        }
        return id;
    }

    static constexpr int kReplacements = 10;
    void replace(const fs::path& file, int how, std::uint64_t round) const {
        const auto old = base::readFile(file);
        std::error_code ignored;
        fs::remove_all(file, ignored);
        const auto put = [&](const std::string& text) { write(file, text); };
        switch (how) {
            case 0:
                ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
                break;
            case 1:
                fs::create_symlink("/dev/zero", file);
                break;
            case 2:
                fs::create_symlink(file.filename(), file);
                break;
            case 3:
                fs::create_symlink(outside(), file);
                break;
            case 4:
                fs::create_directory(file);
                break;
            case 5:
                put("");
                fs::resize_file(file, std::uintmax_t{1} << 40);
                break;
            case 6:
                put("");
                break;
            case 7:
                put(fuzz::mutate(old ? *old : std::string("{}"), round));
                break;
            case 8:
                put(std::string(100'000, '['));
                break;
            default:
                put(std::string(std::size_t{1} << 20, '\n'));
                break;
        }
    }

    template <class T>
    static void expectGoodOrOneLine(const base::Result<T>& result) {
        if (!result) {
            fuzz::expectOneLine(result.error().message);
        }
    }

    /// Everything that reads it. Returns true if another run could be created.
    bool use(const std::string& id) {
        auto store = RunStore::open(folder_.path() / "store");
        expectGoodOrOneLine(store);
        if (!store) {
            return false;
        }
        const auto rows = store->list();
        EXPECT_TRUE(rows && rows->size() == 1);
        expectGoodOrOneLine(store->load(id));
        expectGoodOrOneLine(store->active());
        expectGoodOrOneLine(store->takeOver(id));
        expectGoodOrOneLine(inspectTrace(run(id)));
        expectGoodOrOneLine(readTrace(run(id)));
        expectGoodOrOneLine(importTrace(run(id)));
        expectGoodOrOneLine(store->label(id, {.note = "looked at"}));
        (void)readLosses(run(id));
        (void)readProgress(run(id));
        const auto made = store->create(highwater::runs::test::experimentNamed("next"), "cpu");
        expectGoodOrOneLine(made);
        return made.ok();
    }
};

TEST_F(RunFolderFuzz, WhateverAFileIsTheRestOfTheStoreIsUsed) {
    const std::string kept = "the user's own";
    std::uint64_t round = 0, made = 0;
    for (const bool ofRun : {true, false}) {
        for (const char* const name :
             ofRun ? std::span<const char* const>(kOfRun) : std::span<const char* const>(kOfStore)) {
            for (int how = 0; how < kReplacements; ++how, ++round) {
                SCOPED_TRACE(std::string(name) + ", replacement " + std::to_string(how));
                const std::string id = makeStore(round);
                write(outside(), kept);
                replace(ofRun ? run(id) / name : folder_.path() / "store" / name, how, round);
                const AddressSpace limit(512 * base::kMiB);
                made += use(id) ? 1 : 0;
                EXPECT_EQ(*base::readFile(outside()), kept);
            }
        }
    }
    EXPECT_EQ(round, 200U);
    EXPECT_GE(made, 198U);  // no number can be stored if last-number is a folder, or a link to itself
}

}  // namespace
}  // namespace highwater::runs
