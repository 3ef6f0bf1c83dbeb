#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/json_reader.h"
#include "core/hosts/request.h"

/// Slurm on this host. An array's folder, highwater-host/arrays/ID beside the runs, contains `runs`, with one
/// run id per line in the order of the tasks from 0; task.sh, which is always the same; and `job`, once it
/// was submitted.
namespace highwater::host_app {

std::filesystem::path arraysFolder();

/// The run's folder of a task; empty if there is no such task.
std::filesystem::path taskRun(const std::filesystem::path& array, const std::string& index);

/// Handles a request about the queue. The answer is one of those of core/hosts/queue.h.
std::pair<base::Json, std::string> answerOfQueue(const hosts::Request& request);

}  // namespace highwater::host_app
