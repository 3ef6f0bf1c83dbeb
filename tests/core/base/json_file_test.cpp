#include "core/base/json_file.h"

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "tests/core/temporary_folder.h"

namespace highwater::base {

enum class Color { Red, Green };
constexpr std::string_view kColors[] = {"red", "green"};

struct Inner {
    std::int64_t count = 0;
    std::optional<double> share = {};
    bool operator==(const Inner&) const = default;
};

struct Outer {
    std::string name;
    std::filesystem::path file;
    int steps = 3;
    std::uint32_t small = 0;
    std::size_t large = 0;
    Color color = Color::Red, usual = Color::Green;
    std::string line;
    double unknown = 0;
    std::array<double, 2> pair{};
    std::vector<Inner> inners;
    std::map<std::string, Inner> named;
    std::vector<std::vector<int>> nested;
    Inner group, orNull;
    Json value;
    bool operator==(const Outer&) const = default;
};

template <class Way>
void exchange(Way& way, Exchanged<Way, Inner>& inner) {
    way("count", inner.count, Whole{0, 10});
    way("share", inner.share, Real{0, 1});
}

template <class Way>
void exchange(Way& way, Exchanged<Way, Outer>& outer) {
    way.format("schema", "outer/1");
    way("name", outer.name);
    way.unless(std::filesystem::path(), "file", outer.file);
    way.olderWithout("steps", outer.steps);
    way("small", outer.small);
    way("large", outer.large);
    way.choice("color", outer.color, kColors);
    way.choiceUnless(Color::Green, "usual", outer.usual, kColors);
    way.line("line", outer.line, 8);
    way.orNull("unknown", outer.unknown);
    way("pair", outer.pair, Real{0, 5});
    way.list("inners", outer.inners, 2);
    way("named", outer.named);
    way("nested", outer.nested);
    way.group("group", [&](auto& inner) { exchange(inner, outer.group); });
    way.groupOrNull("or_null", outer.orNull.count > 0, [&](auto& inner) { exchange(inner, outer.orNull); });
    way("value", outer.value);
    way.derived("sum", outer.pair[0] + outer.pair[1]);
    way.check(outer.name != "bad", "name", "must not be bad");
}

namespace {

using ::testing::StartsWith;

Outer sample() {
    return {"a",
            "/b",
            7,
            4'000'000'000,
            5,
            Color::Green,
            Color::Red,
            "one",
            2.5,
            {1, 2},
            {{1, 0.5}, {2}},
            {{"x", {3}}},
            {{1}, {}},
            {4},
            {5},
            {{"any", 1}}};
}

std::string problem(const char* key, const Json& value) {
    Json json = JsonOut::written(sample());
    json[key] = value;
    const auto read = fromJson<Outer>(json);
    return read ? "" : read.error().message;
}

TEST(JsonFile, IsReadAsItWasWritten) {
    const Json json = JsonOut::written(sample());
    EXPECT_EQ(json.dump(),
              R"({"schema":"outer/1","name":"a","file":"/b","steps":7,"small":4000000000,"large":5,)"
              R"("color":"green","usual":"red","line":"one","unknown":2.5,"pair":[1.0,2.0],)"
              R"("inners":[{"count":1,"share":0.5},{"count":2}],"named":{"x":{"count":3}},)"
              R"("nested":[[1],[]],"group":{"count":4},"or_null":{"count":5},"value":{"any":1},"sum":3.0})");
    const auto read = fromJson<Outer>(json);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, sample());
}

TEST(JsonFile, WhatIsUsualMayBeLeftOut) {
    Json json = JsonOut::written(sample());
    for (const char* key : {"file", "steps", "usual", "line", "unknown", "sum"}) {
        json.erase(key);
    }
    json["or_null"] = nullptr;
    const auto read = fromJson<Outer>(json);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->steps, 3);
    EXPECT_EQ(read->usual, Color::Green);
    EXPECT_TRUE(std::isnan(read->unknown));
    EXPECT_EQ(read->orNull, Inner());
    EXPECT_TRUE(JsonOut::written(*read)["or_null"].is_null());
}

TEST(JsonFile, ErrorsNameThePlace) {
    for (const auto& [key, value, message] : std::vector<std::tuple<const char*, Json, std::string>>{
             {"schema", "outer/2", "/schema: must be \"outer/1\", not \"outer/2\""},
             {"name", nullptr, "/name: must be text, not null"},
             {"name", "bad", "/name: must not be bad"},
             {"steps", 2.5, "/steps: must be a whole number from 0 to 2147483647, not 2.5"},
             {"small", -1, "/small: must be a whole number from 0 to 4294967295, not -1"},
             {"large", "x", "/large: must be a whole number of at least 0, not text"},
             {"color", "blue", "/color: must be one of \"red\", \"green\", not \"blue\""},
             {"pair", {1}, "/pair: must be a list of 2"},
             {"pair", {1, 6}, "/pair/1: must be a number from 0 to 5, not 6"},
             {"inners", 3, "/inners: must be a list, not a number"},
             {"inners", {{{"count", 11}}}, "/inners/0/count: must be a whole number from 0 to 10, not 11"},
             {"inners", {1, 2, 3}, "/inners: has 3 entries; at most 2 are read"},
             {"inners",
              {{{"count", 1}, {"more", 1}}},
              "/inners/0: unknown key \"more\"; known are: count, share"},
             {"named", {{"y", {{"share", 2}}}}, "/named/y/count: is missing; a whole number is needed"},
             {"nested", {{1}, {"x"}}, "/nested/1/0: must be a whole number from 0 to 2147483647, not text"},
             {"group", nullptr, "/group: must be an object, not null"},
             {"other", 1, "the document: unknown key \"other\""}}) {
        EXPECT_THAT(problem(key, value), StartsWith(message));
    }
    Json json = JsonOut::written(sample());
    json.erase("group");
    EXPECT_EQ(fromJson<Outer>(json, "/at").error().message, "/at/group: is missing; an object is needed");
    EXPECT_THAT(fromJson<Outer>(Json::array()).error().message,
                StartsWith("the document: must be an object"));
}

TEST(JsonFile, ErrorsOfFilesBeginWithTheirPath) {
    const highwater::test::TemporaryFolder folder;
    const auto path = folder.path() / "made" / "a.json";
    EXPECT_FALSE(writeJson(path, JsonOut::written(sample())));
    ASSERT_TRUE(writeInFolder(path, jsonText(JsonOut::written(sample()), 2) + "\n"));
    ASSERT_TRUE(writeJson(path, JsonOut::written(sample())));
    EXPECT_EQ(*fromJsonFile<Outer>(path), sample());
    ASSERT_TRUE(writeJson(path, Json{{"schema", "outer/1"}}));
    EXPECT_EQ(fromJsonFile<Outer>(path).error().message,
              path.string() + ": /name: is missing; text is needed");
    EXPECT_THAT(fromJsonFile<Outer>(folder.path() / "none").error().message,
                StartsWith(folder.path().string()));
}

TEST(JsonFile, ReplacesInvalidText) {
    EXPECT_EQ(jsonText(Json{{"name", "a\xff"}}), "{\"name\":\"a\uFFFD\"}");
}

}  // namespace
}  // namespace highwater::base
