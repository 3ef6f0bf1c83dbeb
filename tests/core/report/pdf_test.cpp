#include "core/report/pdf.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "core/report/flow.h"
#include "core/report/page.h"
#include "core/report/report.h"
#include "tests/core/report/pdf_tools.h"
#include "tests/core/report/sample.h"

namespace highwater::report {
namespace {

using testing::HasSubstr;

class Pdf : public testing::Test {
protected:
    void SetUp() override {
        if (!hasPdfTools()) {
            GTEST_SKIP() << "pdftotext is not there; install poppler-utils";
        }
    }
};

/// Every token of `wanted` occurs in `found` as often.
void expectAll(const std::map<std::string, int>& wanted, const std::map<std::string, int>& found,
               const std::string& what) {
    for (const auto& [token, times] : wanted) {
        const auto at = found.find(token);
        EXPECT_GE(at == found.end() ? 0 : at->second, times) << what << ": " << token;
    }
}

void expectInsideThePages(const std::string& pdf, const std::string& what) {
    const auto words = wordsOf(pdf);
    EXPECT_FALSE(words.empty());
    for (const PdfWord& word : words) {
        EXPECT_GE(word.left, kMargin - 1) << what << ": " << word.text;
        EXPECT_LE(word.right, kPageWidth - kMargin + 1) << what << ": " << word.text;
        EXPECT_GE(word.top, kMargin - 4) << what << ": " << word.text;
        EXPECT_LE(word.bottom, kPageHeight - kMargin + 4) << what << ": " << word.text;
    }
}

runs::RunRecord deepRun(int layers) {
    runs::RunRecord run = sampleRun();
    run.summary.name = "seven hundred layers of a very long name " + std::string(300, 'x') + " 頭部 голова";
    run.experiment.stack.clear();
    const wire::LayerCost cost = run.result.layers.front();
    run.result.layers.assign(static_cast<std::size_t>(layers), cost);
    for (int i = 0; i < layers; ++i) {
        run.result.layers[static_cast<std::size_t>(i)].name = fmt::format("layer{} of many", i);
    }
    return run;
}

TEST_F(Pdf, SaysAllThatTheHtmlSays) {
    runs::RunRecord bare;
    bare.summary.status = wire::RunStatus::Failed;
    bare.summary.message = "the engine died: signal 9";
    const std::vector<ReportInput> inputs = {reportOf({sampleRun()}),
                                             reportOf({failedRun()}),
                                             reportOf({sampleRun(0)}),
                                             reportOf({bare}),
                                             reportOf({sampleRun(30, 14), failedRun(), sampleRun(1)}),
                                             reportOf({})};
    for (const ReportInput& input : inputs) {
        const Document document = runsDocument(input);
        const std::string made = pdf(document);
        expectAll(tokens(visibleText(page(document))), tokens(textOf(made)), document.title);
        expectInsideThePages(made, document.title);
    }
}

TEST_F(Pdf, HundredsOfRowsAndLongNamesStayOnTheirPages) {
    const std::string made = pdf(reportOf({deepRun(700)}));
    const auto found = tokens(textOf(made));
    for (int i = 0; i < 700; ++i) {
        EXPECT_TRUE(found.contains(fmt::format("layer{}", i))) << i;
    }
    expectInsideThePages(made, "700 layers");
    // The table spans several pages, each with its header: on the chart's page and again.
    const auto words = wordsOf(made);
    const auto first =
        std::find_if(words.begin(), words.end(), [](const PdfWord& w) { return w.text == "layer0"; });
    const auto last =
        std::find_if(words.begin(), words.end(), [](const PdfWord& w) { return w.text == "layer699"; });
    ASSERT_NE(last, words.end());
    EXPECT_GT(last->page, first->page + 5);
    for (int page = first->page + 1; page <= last->page; ++page) {
        EXPECT_TRUE(std::any_of(words.begin(), words.end(), [page](const PdfWord& w) {
            return w.page == page && w.text == "parameters" && w.top < kMargin + 20;
        })) << page;
    }
}

/// A document with all kinds of parts in any order, in which each word is different.
Document randomDocument(unsigned seed) {
    std::mt19937 random(seed);
    int words = 0;
    const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto text = [&](int most) {
        std::string out;
        for (int n = below(most) + 1; n > 0; --n) {
            out += fmt::format("{}w{}{}", out.empty() ? "" : " ", words++,
                               std::string(below(12) == 0 ? below(200) : below(8), 'q'));
        }
        return out;
    };
    Chart chart{"", 880, 0, [](Canvas& canvas) { canvas.rectangle(0, 0, 10, 10, kLight.accent); }};
    const auto part = [&]() -> Part {
        chart.title = text(8);
        chart.height = 100 + below(1800);
        switch (below(9)) {
            case 0:
                return heading(1 + below(3), text(6));
            case 1:
                return Cards{{{text(3), text(2), {text(20)}, Tone::Good, true, {{kLight.good, text(3), 1}}},
                              {text(3), text(2), {text(5), text(5)}}}};
            case 2:
                return Banner{below(2) == 0, text(5), {text(40), text(3)}};
            case 3: {
                Table table;
                for (int c = below(9); c >= 0; --c) {
                    table.columns.push_back({text(2), below(2) == 0});
                }
                for (int r = below(80); r >= 0; --r) {
                    TableRow row;
                    for (std::size_t c = 0; c < table.columns.size(); ++c) {
                        row.push_back({.text = text(below(30) == 0 ? 60 : 3),
                                       .note = below(9) == 0 ? text(9) : "",
                                       .fit = static_cast<Fit>(below(4)),
                                       .indent = below(4)});
                    }
                    table.rows.push_back(row);
                }
                return table;
            }
            case 4:
                return report::Figure{chart, ""};
            case 5:
                return FigurePair{{report::Figure{chart, ""}, report::Figure{chart, ""}}};
            case 6:
                return Definitions{{{text(2), text(50)}, {text(9), text(3)}}};
            case 7:
                return List{{text(200), text(4)}};
            default:
                return below(2) == 0 ? Part(Code{text(900), text(2)}) : Part(paragraph(text(1500)));
        }
    };
    Document document;
    document.title = "random";
    document.footer = text(30);
    for (int n = below(12); n >= 0; --n) {
        document.head.push_back(part());
    }
    document.sections.push_back({"there", true, {heading(2, text(4)), part()}});
    return document;
}

TEST_F(Pdf, AnyDocumentIsWholeAndInsideItsPages) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const Document document = randomDocument(seed);
        const std::string made = pdf(document), what = fmt::format("seed {}", seed);
        // A word that is longer than its column is broken, so the letters are compared, in any order.
        const auto letters = [](std::string_view text) {
            std::map<char, int> counts;
            for (const auto& [token, times] : tokens(text)) {
                for (const char c : token) {
                    counts[c] += times;
                }
            }
            return counts;
        };
        const auto found = letters(textOf(made));
        for (const auto& [letter, times] : letters(visibleText(page(document)))) {
            EXPECT_GE(found.contains(letter) ? found.at(letter) : 0, times) << what << ": " << letter;
        }
        expectInsideThePages(made, what);
    }
}

TEST_F(Pdf, AHeadingIsNotTheLastOfAPage) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const Document document = randomDocument(seed);
        std::string made = pdf(document);
        for (const Part& part : document.head) {
            const auto* said = std::get_if<Heading>(&part);
            if (!said || said == std::get_if<Heading>(&document.head.back())) {
                continue;
            }
            const auto words = wordsOf(made);
            const std::string first = said->text.front().text.substr(0, said->text.front().text.find(' '));
            const auto at =
                std::find_if(words.begin(), words.end(), [&](const PdfWord& w) { return w.text == first; });
            if (at == words.end()) {
                continue;  // a word so long that it is broken
            }
            EXPECT_LT(at->bottom, kMargin + kFlowHeight - 8) << "seed " << seed << ": " << first;
        }
    }
}

TEST_F(Pdf, FiguresAreDrawingsAndFontsAreInIt) {
    const std::string made = pdf(reportOf({sampleRun(), failedRun()}));
    EXPECT_TRUE(listed(made, "pdfimages -list").empty());
    const auto fonts = listed(made, "pdffonts");
    EXPECT_FALSE(fonts.empty());
    for (const std::string& font : fonts) {
        EXPECT_THAT(font, HasSubstr("yes yes yes")) << "embedded, a subset, with Unicode";
    }
}

TEST_F(Pdf, NamesOfAnyScriptAreFoundAgain) {
    runs::RunRecord run = sampleRun();
    run.summary.name = "Größe голова μέγεθος";
    const std::string text = textOf(pdf(reportOf({run})));
    for (const char* word : {"Größe", "голова", "μέγεθος"}) {
        EXPECT_THAT(text, HasSubstr(word));
    }
}

TEST(PdfFile, IsTheSameForTheSameReport) {
    const ReportInput input = reportOf({sampleRun(), failedRun()});
    EXPECT_EQ(pdf(input), pdf(input));
    EXPECT_THAT(pdf(input), HasSubstr("/Creator (Highwater "));
    EXPECT_THAT(pdf(input), testing::Not(HasSubstr("/CreationDate")));
}

TEST(PdfFile, CanBeStopped) {
    int asked = 0;
    EXPECT_EQ(pdf(runsDocument(reportOf({sampleRun()})), [&asked] { return ++asked > 3; }), "");
    EXPECT_GT(pdf(runsDocument(reportOf({sampleRun()})), [] { return false; }).size(), 1000u);
}

TEST(PdfFile, TakesBytesThatAreNoText) {
    runs::RunRecord run = sampleRun();
    run.summary.name = "a\xFF\x01z";
    run.summary.note = "see https://example.org/a\xFF'b\\ and http://";
    EXPECT_THAT(pdf(reportOf({run, run})), testing::StartsWith("%PDF-"));
}

}  // namespace
}  // namespace highwater::report
