#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/where.h"
#include "core/runs/run_store.h"
#include "core/study/sweep.h"
#include "core/study/sweep_record.h"
#include "core/wire/python_source.h"

/// Private to `sweep`.
namespace highwater::cli {

struct Measuring {
    study::SweepRecord record;
    bool resume = false;  ///< the record is in the store, and perhaps some of its runs
    Where where;
    std::optional<wire::PythonSource> trainer = {};  ///< takes the engine's place on this machine
};

struct MeasuredCells {
    std::vector<study::Measured> measured;  ///< of each cell that can be run
    std::vector<std::string> notes;
};

/// Measures the cells that can be run, with progress on a terminal, and stores the record before the first
/// run. An interrupt (interrupt.h) stops it.
base::Result<MeasuredCells> measureCells(const Measuring& how, const study::Sweep& sweep,
                                         const std::vector<study::Cell>& cells, runs::RunStore& store);

/// The cells that can be run.
std::vector<study::Subject> subjectsOf(const std::vector<study::Cell>& cells);

}  // namespace highwater::cli
