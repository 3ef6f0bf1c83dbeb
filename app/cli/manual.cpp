#include "core/base/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/output.h"

namespace highwater::cli {
namespace {

/// "{int8,fp32}" of "TEXT:{int8,fp32}", "INT in [1 - 8]" of "INT:INT in [1 - 8]", "FILE" unchanged.
std::string valueText(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    if (colon == std::string::npos) {
        return type;
    }
    const std::string rule = type.substr(colon + 1);
    return rule.starts_with('{') || rule.find(" in [") != std::string::npos ? rule : type.substr(0, colon);
}

base::OptionText textOf(const CLI::Option& option) {
    base::OptionText text{.about = option.get_description(), .required = option.get_required()};
    for (const std::string& name : option.get_snames()) {
        text.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        text.names.push_back("--" + name);
    }
    if (!option.nonpositional()) {
        text.value = option.get_name(true);
        text.many = option.get_items_expected_max() > 1;
    } else if (option.get_items_expected_max() > 0) {
        text.value = valueText(option);
    }
    return text;
}

base::CommandText textOf(const CLI::App& app) {
    base::CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_group().empty()) {
            text.options.push_back(textOf(*option));
        }
    }
    for (const CLI::App* command : shownCommands(app)) {
        text.commands.push_back(textOf(*command));
    }
    return text;
}

}  // namespace

std::vector<const CLI::App*> shownCommands(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

void addManual(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("manual", "The manual page, or the completion for a shell");
    command->group("");  // hidden: for packagers only
    const auto kind = std::make_shared<std::string>();
    const std::vector<std::string> kinds(base::kManualKinds.begin(), base::kManualKinds.end());
    command->add_option("KIND", *kind, "The manual page, or a shell")
        ->required()
        ->check(CLI::IsMember(kinds));
    command->callback([&app, kind, &exit] {
        fmt::print("{}", base::manual(textOf(app), *kind, "Highwater " HIGHWATER_VERSION).value());
        exit = kDone;
    });
}

}  // namespace highwater::cli
