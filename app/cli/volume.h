#pragma once

namespace CLI {
class App;
}

namespace highwater::cli {

/// Adds `volume info|read|slice|phantom`. Runs while the line is parsed; sets `exit` to 0 or 2.
void addVolume(CLI::App& app, int& exit);

}  // namespace highwater::cli
