#include <fstream>

#include "core/base/paths.h"
#include "core/stack/json/json.h"
#include "tests/e2e/cli_fixture.h"

/// Whatever the texts of an experiment contain, the exported program is the same as with harmless texts.
namespace highwater::e2e {
namespace {

/// Prints a program without its texts and names: programs that do the same have the same output.
const char* const kForm = R"(import ast, sys

class Plain(ast.NodeTransformer):
    def generic_visit(self, node):
        for field in ("id", "arg", "attr", "name", "asname"):
            if isinstance(getattr(node, field, None), str):
                setattr(node, field, "_")
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        return super().generic_visit(node)

print(ast.dump(Plain().visit(ast.parse(open(sys.argv[1], "rb").read())))))";

const std::vector<std::string> kTexts = {
    "x\n        __import__(\"os\").system(\"touch EXPORT_RAN\")\n        # y",
    "x\r        raise SystemExit",
    "\"\"\"\nraise SystemExit\n\"\"\"",
    "'''; raise SystemExit #",
    "\\",
    "\\\"",
    "# -*- coding: utf-7 -*-",
    "{0} {} %s ${HOME}",
    "\x0c\x0b\x1b[31m\x7f",
    std::string("a\0b", 3),
    "\u0085\u2028\u2029\u202e",
    "ü 𝄞 class def import",
    std::string(1300, 'n'),
};

/// All texts of an experiment that occur in a program, each replaced by one text.
Json experimentWith(const std::string& text) {
    const Json conv = {
        {"type", "conv"}, {"dims", 3}, {"out_channels", 4}, {"kernel_size", 3}, {"padding", 1}};
    Json named = conv;
    named["id"] = text;
    const Json inside = Json::array({conv, {{"type", "relu"}}});
    const auto block = [&](const Json& layers, bool checkpoint) {
        return Json{{"type", "block"}, {"name", text}, {"checkpoint", checkpoint}, {"layers", layers}};
    };
    return {
        {"schema", "highwater.experiment/1"},
        {"name", text},
        {"input", {{"scan", {{{"path", text}, {"series", text}}}}, {"patch", 8}, {"sampling", "foreground"}}},
        {"target", {{"labels", text}}},
        {"loss", "cross_entropy"},
        {"stack", Json::array({named, block(inside, false),
                               block(Json::array({conv, {{"type", "add"}, {"with", text}}}), false),
                               block(Json::array({block(inside, false), conv}), true), conv})},
        {"step", {{"batch_size", 2}}},
        {"backend", {{"alloc_conf", text}}}};
}

class ExportHostile : public CliTest {
protected:
    void SetUp() override {
        python_ = base::programOnPath("python3").string();
        if (python_.empty()) {
            GTEST_SKIP() << "there is no python3";
        }
        write("form.py", kForm);
    }
    std::string formOf(const std::string& experiment) {
        const std::string path = write("e.json", experiment),
                          program = (folder_.path() / "model.py").string();
        const Finished made =
            Program("highwater-cli", {"export", "pytorch", path, "--out", program}, folder_.path()).wait();
        EXPECT_EQ(made.exit, 0) << made.err << experiment;
        const Finished form =
            Program(python_, {"-I", (folder_.path() / "form.py").string(), program}, folder_.path()).wait();
        EXPECT_EQ(form.exit, 0) << form.err << experiment;
        return form.out;
    }
    std::string python_;
};

TEST_F(ExportHostile, EveryTextStaysATextOfTheSameProgram) {
    const std::string harmless = formOf(experimentWith("plain").dump());
    ASSERT_NE(harmless, "");
    for (const std::string& text : kTexts) {
        EXPECT_EQ(formOf(experimentWith(text).dump()), harmless) << text;
    }
}

TEST_F(ExportHostile, ABlocksNameIsNoLineOfForward) {
    Json json = {{"schema", "highwater.experiment/1"},
                 {"input", {{"synthetic", {1, 8, 8, 8}}}},
                 {"stack", experimentWith("plain")["stack"]},
                 {"loss", "mean"}};
    const std::string harmless = formOf(json.dump());
    json["stack"] = experimentWith(kTexts.front())["stack"];
    EXPECT_EQ(formOf(json.dump()), harmless);
}

}  // namespace
}  // namespace highwater::e2e
