#include "app/cli/ask_cudnn.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/ask/ask.h"
#include "core/ask/find_cudnn.h"

namespace highwater::cli {

void addCudnnOption(CLI::App& command, std::string& library) {
    command
        .add_option("--cudnn-library", library,
                    "Where libcudnn.so.9 is, which is asked about workspaces (default: python3's); off: "
                    "nobody is asked")
        ->type_name("FOLDER");
}

void askCudnn(const std::string& given, const stack::Experiment& experiment, const stack::StackInfo& info,
              predict::Target& target, predict::Prediction& prediction) {
    const auto library = given.empty()    ? ask::findCudnn()
                         : given == "off" ? std::nullopt
                                          : std::optional<std::filesystem::path>(given);
    if (!target.asked || !library || ask::openQuestions(prediction).empty()) {
        return;
    }
    StatusLine status;
    ask::Asking asking;
    asking.library = *library;
    asking.cancel = &interruptFlag();
    asking.progress = [&status](std::size_t done, std::size_t of) {
        status.show(fmt::format("asking cuDNN: {} of {} workspaces", done, of));
    };
    catchInterrupts();
    const auto answers = ask::askWhatIsOpen(target.asked->key(), prediction, asking);
    if (answers && answers->table.size() > 0) {
        auto joined = std::make_shared<predict::AskedTable>(answers->table);
        joined->join(*target.asked);
        target.asked = std::move(joined);
        if (auto better = predict::predict(experiment, info, target)) {
            prediction = std::move(*better);
        }
    }
    if (const std::string why = answers ? answers->open : answers.error().message; !why.empty()) {
        prediction.guesses.push_back(why);
    }
}

}  // namespace highwater::cli
