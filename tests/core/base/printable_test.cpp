#include "core/base/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace highwater::base {
namespace {

TEST(Printable, KeepsLinesAndTakesWhatATerminalObeys) {
    EXPECT_EQ(printable("a\n  b \n"), "a\n  b \n");
    EXPECT_EQ(printable("\x1b]0;title\x07\r\t\x7f"), " ]0;title    ");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\uFFFD\uFFFD"
              "31m");
    EXPECT_EQ(printable("a\u202Eb"), "a\uFFFD\uFFFD\uFFFDb");
    EXPECT_EQ(printable("a\u2066b\u2028"), "a\uFFFD\uFFFD\uFFFDb\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(printable("a\xff"), "a\uFFFD");
    EXPECT_EQ(printable("שלום ü 𝄞"), "שלום ü 𝄞");
    EXPECT_EQ(printable("a\nb", LineBreaks::Replace), "a b");
}

TEST(Printable, SaysWhatIsOneLineAlready) {
    EXPECT_TRUE(isOneLine("enc 1 · ü "));
    EXPECT_TRUE(isOneLine(""));
    for (const char* text :
         {"a\nb", "a\rb", "\t", "\x1b[31m", "a\x7f", "\u0085", "\u2028", "\u202e", "\xff"}) {
        EXPECT_FALSE(isOneLine(text)) << text;
    }
}

TEST(Printable, JsonKeepsItsValue) {
    const nlohmann::json value = {{"a\u009b\u202e", "\x1b\x7f\n\u2028ü"}, {"b", {1, 2}}};
    for (const int indent : {-1, 2}) {
        const std::string text = printableJson(value.dump(indent));
        EXPECT_EQ(printable(text), text);
        EXPECT_EQ(nlohmann::json::parse(text), value);
    }
}

TEST(CsvField, QuotesWhatRfc4180Asks) {
    EXPECT_EQ(csvField("plain"), "plain");
    EXPECT_EQ(csvField("a,b"), "\"a,b\"");
    EXPECT_EQ(csvField("a \"b\""), "\"a \"\"b\"\"\"");
    EXPECT_EQ(csvField("a\nb"), "\"a\nb\"");
}

TEST(CsvField, IsNeverAFormula) {
    EXPECT_EQ(csvField("=1+1"), "'=1+1");
    EXPECT_EQ(csvField("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(csvField("+cmd"), "'+cmd");
    EXPECT_EQ(csvField("-2+3"), "'-2+3");
    EXPECT_EQ(csvField("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
    EXPECT_EQ(csvField("\t=1"), "'\t=1");
    EXPECT_EQ(csvField("\r=1"), "\"'\r=1\"");
}

TEST(CsvField, NumbersStayNumbers) {
    for (const char* text :
         {"-0.5", "-1e-05", "3", "-12345678901234567890", "-1e999", "", "-", "a=b", "1-2"}) {
        EXPECT_EQ(csvField(text), text);
    }
}

}  // namespace
}  // namespace highwater::base
