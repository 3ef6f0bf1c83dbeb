#pragma once

namespace CLI {
class App;
}

namespace highwater::cli {

/// Adds `report RUN... --out FILE [--store DIR]`. It runs while the command line is parsed and sets `exit` to
/// 0 or 2.
void addReport(CLI::App& app, int& exit);

}  // namespace highwater::cli
