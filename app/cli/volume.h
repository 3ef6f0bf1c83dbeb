#pragma once

namespace CLI {
class App;
}

namespace highwater::cli {

/// Adds `volume list|info|read|slice|phantom|cohort|propose`. Runs while the line is parsed; sets `exit` to
/// 0, 2 or 130.
void addVolume(CLI::App& app, int& exit);

}  // namespace highwater::cli
