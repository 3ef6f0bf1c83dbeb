#include "core/capture/pickle_reader.h"

#include <gmock/gmock.h>

#include "core/capture/capture.h"
#include "core/capture/snapshot_records.h"

namespace highwater::capture {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string failureOf(const std::string& bytes) {
    const auto trace = readSnapshotBytes(bytes);
    EXPECT_FALSE(trace) << "accepted";
    return trace ? "" : trace.error().message;
}

/// Reads a pickle of one number.
std::optional<std::int64_t> numberIn(const std::string& bytes) {
    SnapshotRecords records;
    PickleStore store(records);
    records.attach(store);
    PickleSource source(bytes);
    base::MemoryBudget budget(static_cast<base::Bytes>(bytes.size()));
    const std::function<bool(double)> none;
    const auto value = PickleReader(source, store, budget, none).read();
    return value ? store.integerOf(*value) : std::nullopt;
}

std::string textIn(const std::string& bytes) {
    SnapshotRecords records;
    PickleStore store(records);
    records.attach(store);
    PickleSource source(bytes);
    base::MemoryBudget budget(static_cast<base::Bytes>(bytes.size()));
    const std::function<bool(double)> none;
    const auto value = PickleReader(source, store, budget, none).read();
    return value && value->is(Value::Kind::Text) ? std::string(records.textAt(value->payload())) : "(none)";
}

TEST(PickleReader, Numbers) {
    EXPECT_EQ(numberIn("K\xff."), 255);
    EXPECT_EQ(numberIn("M\x34\x12."), 0x1234);
    EXPECT_EQ(numberIn("J\xfe\xff\xff\xff."), -2);
    EXPECT_EQ(numberIn("I-17\n."), -17);
    EXPECT_EQ(numberIn("L123456789012L\n."), 123456789012);
    EXPECT_EQ(numberIn("\x8a\x00."s), 0);
    EXPECT_EQ(numberIn("\x8a\x01\x80."), -128);
    EXPECT_EQ(numberIn("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(numberIn("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."s),
              std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(numberIn("\x8b\x02\x00\x00\x00\xff\x00."s), 255);
    EXPECT_EQ(numberIn("\x8a\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01."s), std::nullopt);  // 2^72
    EXPECT_EQ(numberIn("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."s),
              std::nullopt);  // 2^63: an address only
    EXPECT_EQ(numberIn("I12x\n."), std::nullopt);
}

TEST(PickleReader, Texts) {
    EXPECT_EQ(textIn("\x8c\x03"
                     "abc."),
              "abc");
    EXPECT_EQ(textIn("X\x02\x00\x00\x00"
                     "ab."s),
              "ab");
    EXPECT_EQ(textIn("\x8d\x02\x00\x00\x00\x00\x00\x00\x00"
                     "ab."s),
              "ab");
    EXPECT_EQ(textIn("Va\\u00df\xe4\\U0001f600b\n."),
              "a\xc3\x9f\xc3\xa4\xf0\x9f\x98\x80"
              "b");
    EXPECT_EQ(textIn("S'it\\'s'\n."), "it's");
    EXPECT_EQ(textIn("U\x01q."), "q");
    EXPECT_EQ(textIn("X\x00\x10\x00\x00"s + std::string(4096, 'x') + "."),
              std::string(PickleReader::kMostText, 'x'));
}

TEST(PickleReader, TheStack) {
    EXPECT_EQ(numberIn("K\x01K\x02"
                       "0."),
              1);  // POP
    EXPECT_EQ(numberIn("K\x01(K\x02K\x03"
                       "1."),
              1);                        // POP_MARK
    EXPECT_EQ(numberIn("K\x01(0."), 1);  // POP of a mark
    EXPECT_EQ(numberIn("K\x05\x94K\x06\x94"
                       "00h\x00."s),
              5);  // BINGET
    EXPECT_EQ(numberIn("K\x05q\x03"
                       "0h\x03."),
              5);
    EXPECT_EQ(numberIn("K\x05p4\n0g4\n."), 5);
    EXPECT_EQ(numberIn("K\x07"
                       "2"
                       "0."),
              7);  // DUP
}

TEST(PickleReader, WhatWouldRunCodeIsRefused) {
    const std::pair<std::string, const char*> calls[] = {
        {"cos\nsystem\n(S'true'\ntR.", "GLOBAL"},
        {"\x80\x04\x8c\x05posix\x8c\x06system\x93.", "STACK_GLOBAL"},
        {"(S'true'\nios\nsystem\n.", "INST"},
        {"(K\x01o.", "OBJ"},
        {"K\x01)R.", "REDUCE"},
        {"K\x01}b.", "BUILD"},
        {"K\x01)\x81.", "NEWOBJ"},
        {"K\x01)}\x92.", "NEWOBJ_EX"},
        {"Pid\n.", "PERSID"},
        {"K\x01Q.", "BINPERSID"},
        {"\x82\x01.", "EXT1"},
        {"\x83\x01\x01.", "EXT2"},
        {"\x84\x01\x01\x01\x01.", "EXT4"},
        {"\x97.", "NEXT_BUFFER"},
        {"K\x01\x98.", "READONLY_BUFFER"}};
    for (const auto& [bytes, name] : calls) {
        EXPECT_THAT(failureOf(bytes), HasSubstr(": this would run or fetch code")) << name;
    }
}

TEST(PickleReader, WhatIsMalformedIsSaidWithItsPlace) {
    EXPECT_THAT(failureOf("e."), HasSubstr("byte 1: there is no mark"));
    EXPECT_THAT(failureOf("(e."), HasSubstr("nothing to add to"));
    EXPECT_THAT(failureOf("a."), HasSubstr("nothing to add"));
    EXPECT_THAT(failureOf("K\x01K\x02"
                          "a."),
                HasSubstr("adds to something that is not a list"));
    EXPECT_THAT(failureOf("}(K\x01u."), HasSubstr("last key has no value"));
    EXPECT_THAT(failureOf("h\x01."), HasSubstr("memo entry 1 is not set"));
    EXPECT_THAT(failureOf("K\x01r\xff\xff\xff\xff."), HasSubstr("memo number 4294967295 is out of order"));
    EXPECT_THAT(failureOf("\x94."), HasSubstr("nothing to remember"));
    EXPECT_THAT(failureOf("\x80\x06."), HasSubstr("newer than 5"));
    EXPECT_THAT(failureOf("\xff"), HasSubstr("byte 1: this is not a pickle"));
    EXPECT_THAT(failureOf("."), HasSubstr("ends without a value"));
    EXPECT_THAT(failureOf("K\x01(."), HasSubstr("ends without a value"));
    EXPECT_THAT(failureOf("K\x01\x85\x86."), HasSubstr("too few values"));
    EXPECT_THAT(failureOf("0."), HasSubstr("there is no mark"));
    EXPECT_THAT(failureOf("(\x90."), HasSubstr("no set to add to"));
    EXPECT_THAT(failureOf("\x8b\xff\xff\xff\xff."), HasSubstr("negative length"));
    EXPECT_THAT(failureOf("p1\n."), HasSubstr("nothing to remember"));
    EXPECT_THAT(failureOf("K\x01p-1\n."), HasSubstr("memo number is not valid"));
}

TEST(PickleReader, LengthsAreHeldAgainstWhatIsLeft) {
    for (const std::string& bytes :
         {"\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s,
          "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f"
          "abc"s,
          "X\xff\xff\xff\xff"s, "B\xff\xff\xff\xff."s, "\x96\x00\x00\x00\x00\x00\x00\x00\x80."s,
          "\x8b\xff\xff\xff\x7f\x01"s, "\x95\xff\xff\xff\xff\xff\xff\xff\xff}."s,
          "\x8c\x05"
          "ab"s,
          "G\x01\x02"s, "J\x01"s, "K"s, "X\x01"s, "\x8a\x09\x01"s, "\x95\x01"s, "Sabc"s}) {
        EXPECT_THAT(failureOf(bytes), HasSubstr("truncated")) << testing::PrintToString(bytes);
    }
}

TEST(PickleReader, ContainersThatHoldThemselvesAreRefused) {
    EXPECT_THAT(failureOf("]\x94h\x00"
                          "a."s),
                HasSubstr("already complete"));
    EXPECT_THAT(failureOf("}\x94\x8c\x01kh\x00s."s), HasSubstr("already complete"));
    EXPECT_THAT(failureOf("]\x94]\x94h\x00"
                          "ah\x01"
                          "a."s),
                HasSubstr("already complete"));
}

TEST(PickleReader, DepthCostsNoStack) {
    const std::size_t deep = 3'000'000;
    std::string lists(deep, ']');
    lists += std::string(deep - 1, 'a') + ".";
    const auto refused = testing::AnyOf(HasSubstr("holds a list"), HasSubstr("would take more than"));
    EXPECT_THAT(failureOf(lists), refused);
    std::string tuples = ")" + std::string(deep, '\x85') + ".";
    EXPECT_THAT(failureOf(tuples), refused);
    std::string marks(deep, '(');
    EXPECT_THAT(failureOf(marks + "."), HasSubstr("ends without a value"));
}

TEST(PickleReader, MemoryIsHeldAgainstTheFilesSize) {
    // Lists of one list each: a few bytes of the file that would need many times as much memory.
    std::string bytes = "]";
    for (int i = 0; i < 4'000'000; ++i) {
        bytes += ")\x85";
    }
    EXPECT_THAT(failureOf(bytes + "."), HasSubstr("which no snapshot of its size does"));
}

}  // namespace
}  // namespace highwater::capture
