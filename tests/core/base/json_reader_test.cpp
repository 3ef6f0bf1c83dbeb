#include "core/base/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace highwater::base {
namespace {

using testing::HasSubstr;

std::string parseProblem(std::string_view text) {
    const auto parsed = parseJson(text, "a.json");
    return parsed ? "" : parsed.error().message;
}

TEST(ParseJson, SaysWhere) {
    EXPECT_EQ(parseProblem("{\"a\": [1, 2]}"), "");
    EXPECT_THAT(parseProblem("{\"a\": }"), HasSubstr("a.json: not valid JSON: line 1, column 7"));
    EXPECT_THAT(parseProblem(""), HasSubstr("a.json: not valid JSON"));
    EXPECT_THAT(parseProblem("{\"a\": 1, \"a\": 2}"), HasSubstr("\"a\" occurs twice"));
    EXPECT_THAT(parseProblem(std::string(100000, '[')), HasSubstr("nested deeper than 200"));
    EXPECT_THAT(parseProblem("{\"a\": 1} x"), HasSubstr("not valid JSON"));
    EXPECT_EQ(parseProblem("[\"\xff\"]").find('\n'), std::string::npos);
    EXPECT_EQ(parseProblem("[1e400]"), "a.json: not valid JSON: number overflow parsing '1e400'");
    const std::string deepFolder(3000, 'd');
    EXPECT_THAT(parseJson("[", deepFolder).error().message, HasSubstr("unexpected end"));
}

struct Reading {
    Json json;
    explicit Reading(const char* text) : json(Json::parse(text)) {}
    std::string problem(const std::function<void(JsonReader&)>& read) {
        JsonReader reader(json, "/x");
        read(reader);
        const Status status = reader.finish();
        return status ? "" : status.error().message;
    }
};

TEST(JsonReader, ReadsEachKind) {
    Reading r(R"({"n": 3, "f": 2.5, "t": "a", "b": true, "l": [1, 2], "c": "two", "whole": 4.0})");
    EXPECT_EQ(r.problem([](JsonReader& in) {
        EXPECT_EQ(in.integer("n", 0, 5), 3);
        EXPECT_EQ(in.integer("whole", 0, 5), 4);
        EXPECT_EQ(in.number("f", 0, 5), 2.5);
        EXPECT_EQ(in.text("t"), "a");
        EXPECT_TRUE(in.boolean("b"));
        EXPECT_EQ(in.integers("l", 0, 9, 3), (std::vector<std::int64_t>{1, 2}));
        EXPECT_EQ(in.integers("n", 0, 9, 3), (std::vector<std::int64_t>{3}));
        EXPECT_EQ(in.choice("c", {"one", "two"}), 1u);
        EXPECT_EQ(in.integer("absent", 0, 5, 7), 7);
    }),
              "");
}

TEST(JsonReader, NamesTheFieldAndWhatWouldBeRight) {
    Reading r(R"({"n": "3", "big": 1e30, "huge": 18446744073709551615, "half": 0.5, "l": [], "c": "three"})");
    EXPECT_EQ(r.problem([](JsonReader& in) { in.integer("n", 1, 5); }),
              "/x/n: must be a whole number from 1 to 5, not text");
    for (const char* key : {"big", "huge", "half"}) {
        EXPECT_THAT(r.problem([&](JsonReader& in) { in.integer(key, 1, 5); }),
                    HasSubstr("must be a whole number from 1 to 5, not "));
    }
    EXPECT_EQ(r.problem([](JsonReader& in) { in.integers("l", 0, 9, 3); }),
              "/x/l: must be one number or a list of 1 to 3 numbers, not of 0");
    EXPECT_EQ(r.problem([](JsonReader& in) { in.choice("c", {"one", "two"}); }),
              "/x/c: must be one of \"one\", \"two\", not \"three\"");
    EXPECT_EQ(r.problem([](JsonReader& in) { in.text("absent"); }), "/x/absent: is missing; text is needed");
}

TEST(JsonReader, RefusesUnknownKeysWithTheNearest) {
    Reading r(R"({"kernal_size": 3})");
    EXPECT_EQ(r.problem([](JsonReader& in) {
        in.integer("kernel_size", 1, 9, 3);
        in.boolean("bias", true);
    }),
              "/x: unknown key \"kernal_size\"; did you mean \"kernel_size\"?");
}

TEST(JsonReader, AMisspeltKeyIsNamedBeforeTheMissingOne) {
    Reading r(R"({"out_chanels": 3, "zzz": 1})");
    EXPECT_EQ(r.problem([](JsonReader& in) { in.integer("out_channels", 1, 9); }),
              "/x: unknown key \"out_chanels\"; did you mean \"out_channels\"?");
    Reading far(R"({"zzz": 1})");
    EXPECT_EQ(far.problem([](JsonReader& in) { in.integer("out_channels", 1, 9); }),
              "/x/out_channels: is missing; a whole number is needed");
}

TEST(JsonReader, KeepsTheFirstError) {
    Reading r(R"({"a": "x", "b": "y"})");
    EXPECT_THAT(r.problem([](JsonReader& in) {
        in.integer("b", 0, 1);
        in.integer("a", 0, 1);
    }),
                HasSubstr("/x/b"));
    Reading list("[1]");
    EXPECT_EQ(list.problem([](JsonReader&) {}), "/x: must be an object, not a list");
}

}  // namespace
}  // namespace highwater::base
