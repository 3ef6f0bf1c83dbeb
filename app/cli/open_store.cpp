#include "app/cli/commands.h"
#include "app/cli/output.h"

namespace highwater::cli {

base::Result<runs::RunStore> openStore(const std::string& folder) {
    auto store =
        runs::RunStore::open(folder.empty() ? base::defaultStoreFolder() : std::filesystem::path(folder),
                             [](const std::string& what) {
                                 if (!what.empty()) {
                                     complain(what);
                                 }
                             });
    if (const std::string note = store ? store->note() : ""; !note.empty()) {
        complain(note);
    }
    return store;
}

}  // namespace highwater::cli
