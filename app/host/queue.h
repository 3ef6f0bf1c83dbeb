#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/json_reader.h"
#include "core/hosts/request.h"

/// Slurm on this host. An array's folder, highwater-host/arrays/ID beside the runs: `runs` has the id of one
/// run a line, that of task 0 first; task.sh, which is always the same; `job`, once it was submitted.
namespace highwater::host_app {

std::filesystem::path arraysFolder();

/// The run's folder of a task; empty if there is no such task.
std::filesystem::path taskRun(const std::filesystem::path& array, const std::string& index);

/// Does what a request about the queue asks for. The answer is one of those of core/hosts/queue.h.
std::pair<base::Json, std::string> answerOfQueue(const hosts::Request& request);

}  // namespace highwater::host_app
