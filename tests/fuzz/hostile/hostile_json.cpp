#include "tests/fuzz/hostile/kinds.h"

#include <fmt/format.h>

#include <array>

namespace highwater::fuzz {

std::string Draw::extreme() {
    static constexpr std::array numbers = {
        "-1",         "0",    "1e308",       "1e999",  "9223372036854775807",
        "2147483647", "-0.0", "1e-320",      "[]",     "18446744073709551616",
        "null",       "{}",   "\"\\u0000\"", "[[[]]]", "1.5"};
    return numbers[below(numbers.size())];
}

std::string manyKeys(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += fmt::format("{}\"k{}\":0", i == 0 ? "" : ",", i);
    }
    return text;
}

std::string deepLists(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

namespace {

std::string times(std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        all += (i == 0 ? "" : ",") + text;
    }
    return all;
}

/// An experiment with these layers; `more` are further members.
std::string experiment(const std::string& layers, const std::string& more = "") {
    return fmt::format(R"({{"schema":"highwater.experiment/1","name":"a","input":{{"synthetic":[1,8]}},)"
                       R"("stack":[{}],"loss":"mean"{}}})",
                       layers, more.empty() ? "" : "," + more);
}

std::string nestedBlocks(std::size_t depth, std::size_t letters, const std::string& inner) {
    std::string layers = inner;
    for (std::size_t i = 0; i < depth; ++i) {
        layers =
            fmt::format(R"({{"type":"block","name":"{}","layers":[{}]}})", std::string(letters, 'n'), layers);
    }
    return layers;
}

std::string joined(std::size_t count, const std::string& kind) {
    std::string layers = R"({"type":"scale","value":1,"id":"l0"})";
    for (std::size_t i = 1; i < count; ++i) {
        layers += fmt::format(R"(,{{"type":"{}","with":"l{}","id":"l{}"}})", kind, i / 2, i);
    }
    return layers;
}

std::string planInPlan(std::size_t depth) {
    std::string parts = "[0,4]";
    for (std::size_t i = 0; i < depth; ++i) {
        parts = fmt::format("[0,4,[{}]]", parts);
    }
    return parts;
}

}  // namespace

HostileInput hostileExperiment(Draw& draw) {
    const std::string relu = R"({"type":"scale","value":2})";
    std::string text, what;
    const std::size_t shape = draw.below(12);
    if (shape == 0) {
        what = "keys";
        text = "{" + manyKeys(draw.count(8000)) + "}";
    } else if (shape == 1) {
        what = "keys of a layer";
        text = experiment(R"({"type":"relu",)" + manyKeys(draw.count(8000)) + "}");
    } else if (shape == 2) {
        what = "lists in each other";
        text = experiment(deepLists(draw.count(100000)));
    } else if (shape == 3) {
        what = "long names of blocks in each other";
        text = experiment(nestedBlocks(1 + draw.below(40), draw.count(4096), times(draw.count(100), relu)));
    } else if (shape == 4) {
        what = "blocks with one name";
        text = experiment(times(draw.count(400), R"({"type":"block","name":"x","layers":[)" + relu + "]}"));
    } else if (shape == 5) {
        what = "outputs that are brought back";
        text = experiment(joined(draw.count(400), draw.below(2) == 0 ? "add" : "mul"));
    } else if (shape == 6) {
        what = "parts of a plan in each other";
        text = experiment(times(4, relu), fmt::format(R"("step":{{"checkpoint":{{"plan":[{}]}}}})",
                                                      planInPlan(draw.count(2000))));
    } else if (shape == 7) {
        what = "checkpointed blocks";
        text = experiment(times(draw.count(300),
                                R"({"type":"block","name":"x","checkpoint":true,"layers":[)" + relu + "]}"));
    } else if (shape == 8) {
        what = "a long text";
        text = experiment(fmt::format(R"({{"type":"{}"}})", std::string(draw.count(60000), 'r')));
    } else if (shape == 9) {
        what = "empty lists";
        text = experiment(times(draw.count(20000), "[]"));
    } else if (shape == 10) {
        what = "a key twice";
        text = "{" + manyKeys(draw.count(2000)) + R"(,"k7":1})";
    } else {
        what = "an extreme number";
        const std::array keys = {R"("batch_size")", R"("seed")", R"("clip_gradients")", R"("checkpoint")"};
        text = experiment(fmt::format(R"({{"type":"scale","value":{}}})", draw.extreme()),
                          fmt::format(R"("step":{{{}:{}}})", keys[draw.below(keys.size())], draw.extreme()));
    }
    return {"experiment: " + what,
            {{"experiment.json", text}},
            {"predict", "experiment.json", "--target", draw.below(2) == 0 ? "cpu" : "rtx4090", "--json"}};
}

HostileInput hostilePlans(Draw& draw) {
    const std::size_t shape = draw.below(6);
    std::string configurations, what;
    const auto chain = [&](const std::string& last) {
        const std::size_t count = draw.count(1500);
        for (std::size_t i = 0; i < count; ++i) {
            configurations +=
                fmt::format(R"("c{}":{{"inherits_from":"c{}","k{}":{}}},)", i, i + 1, i, draw.extreme());
        }
        configurations += fmt::format(R"("c{}":{})", count, last);
    };
    if (shape == 0) {
        what = "a chain of configurations";
        chain(R"({"UNet_class_name":"PlainConvUNet"})");
    } else if (shape == 1) {
        what = "a circle of configurations";
        chain(R"({"inherits_from":"c0","UNet_class_name":"PlainConvUNet"})");
    } else if (shape == 2) {
        what = "a chain that ends nowhere";
        chain(R"({"inherits_from":"nowhere"})");
    } else if (shape == 3) {
        what = "keys of a configuration";
        configurations = R"("c0":{"UNet_class_name":"PlainConvUNet",)" + manyKeys(draw.count(8000)) + "}";
    } else if (shape == 4) {
        what = "lists in each other";
        configurations = fmt::format(R"("c0":{{"architecture":{}}})", deepLists(draw.count(500)));
    } else {
        what = "extreme stages";
        configurations = fmt::format(
            R"("c0":{{"UNet_class_name":"PlainConvUNet","batch_size":{},"patch_size":{},)"
            R"("n_conv_per_stage_encoder":[{}],"UNet_base_num_features":{},"unet_max_num_features":{}}})",
            draw.extreme(), draw.extreme(), times(draw.count(1000), "2"), draw.extreme(), draw.extreme());
    }
    return {
        "plans: " + what,
        {{"plans.json", fmt::format(R"({{"dataset_name":"D","configurations":{{{}}}}})", configurations)}},
        {"import", "nnunet", "plans.json", "--configuration", draw.below(2) == 0 ? "c0" : "none", "--out",
         "made.json"}};
}

HostileInput hostileRun(Draw& draw) {
    const std::string folder = "store/runs/20260101-000000-abcdef/";
    const std::string layer = R"({"type":"conv","dims":1,"out_channels":4,"kernel_size":1})";
    const std::string ledger =
        R"({"input":0,"parameters":0,"optimizer_state":0,"gradients":0,"activations":0,"workspace":0,"temporaries":0})";
    std::string events, result, what;
    const std::size_t shape = draw.below(7);
    const auto lines = [&](const std::string& line) {
        for (std::size_t i = draw.count(600); i > 0; --i) {
            events += line + "\n";
        }
    };
    if (shape == 0) {
        what = "warnings";
        lines(R"({"event":"warning","message":""})");
    } else if (shape == 1) {
        what = "a line without an end";
        events = R"({"event":"warning","message":")" + std::string(draw.count(200000), 'w');
    } else if (shape == 2) {
        what = "versions";
        events = R"({"event":"started","run_id":"a","device":"cpu","device_name":"c","versions":{)" +
                 manyKeys(draw.count(6000)) + "}}\n";
    } else if (shape == 3) {
        what = "lists in a line";
        events = deepLists(draw.count(100000)) + "\n";
    } else if (shape == 4) {
        what = "losses";
        result = R"({"losses":[)" + times(draw.count(20000), draw.extreme()) + "]}";
    } else if (shape == 5) {
        what = "keys of the result";
        result = "{" + manyKeys(draw.count(8000)) + "}";
    } else {
        what = "samples";
        lines(fmt::format(
            R"({{"event":"ledger","time_ms":{},"bytes":{},"low":0,"high":0,"merged":0,"step":{},"phase":"setup"}})",
            draw.extreme(), ledger, draw.extreme()));
    }
    HostileInput made{
        "run folder: " + what,
        {{folder + "state.json",
          R"({"schema":"highwater.state/1","number":1,"created":"2026-01-01T00:00:00.000Z","device":"cpu",)"
          R"("state":"failed","owner":{"role":"engine","pid":1,"start":1,"boot":"x","host":"x"}})"},
         {folder + "experiment.json", experiment(layer)}},
        {"runs", draw.below(2) == 0 ? "list" : "show", "--store", "store"}};
    if (made.arguments[1] == "show") {
        made.arguments.insert(made.arguments.begin() + 2, "1");
    }
    if (!events.empty()) {
        made.files.emplace_back(folder + "events.jsonl", events);
    }
    if (!result.empty()) {
        made.files.emplace_back(folder + "result.json", result);
    }
    return made;
}

}  // namespace highwater::fuzz
