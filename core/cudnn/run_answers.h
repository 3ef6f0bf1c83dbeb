#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/cudnn/plan_cache.h"
#include "core/cudnn/plans.h"
#include "core/predict/tables/asked_table.h"
#include "core/predict/tables/profile.h"

namespace highwater::cudnn {

/// Reads predict::questionName(). Errors, one line: it is none, or asks for more or less than one part.
base::Result<std::pair<predict::GpuConvolution, predict::ConvPart>> parseQuestion(std::string_view question);

/// For whom a run on the pretended device asks.
struct RunSetup {
    predict::DeviceProfile gpu;
    predict::CudnnVersion version;  ///< the cuDNN that the run has
    int cuda = 0;                   ///< the major version of its CUDA; 0 if not known
    std::filesystem::path library;  ///< the folder of its libcudnn.so.9; empty: where the loader finds it
};

/// Answers the questions of a run on the pretended device. In this order:
/// - cached: cuDNN was asked before (PlanCache, in the first of predict::askedFolders()),
/// - asked: cuDNN is loaded, at the first such question, and asked,
/// - table: where it cannot be asked (older than 9.8, another version than the run's, a GPU that it does not
///   know), the first, the smallest and the largest plans of an answer that Highwater ships,
/// - guessed: predict::ruledWorkspace().
class RunAnswers {
public:
    explicit RunAnswers(RunSetup setup);
    RunAnswers(const RunAnswers&) = delete;
    RunAnswers& operator=(const RunAnswers&) = delete;

    /// "SOURCE PLANS" (planText()), one line. Error, one line: it is no question.
    base::Result<std::string> answer(const std::string& question);
    /// What is to be said of the answers so far, one line, once: why cuDNN is not asked. Empty if nothing.
    std::string takeRemark() { return std::exchange(remark_, ""); }

private:
    std::optional<std::vector<Plan>> ask(const predict::GpuConvolution& convolution, predict::ConvPart part);
    const Asked* asked();

    RunSetup setup_;
    PlanCache cache_;
    predict::AskedTable table_;
    bool tried_ = false;
    std::optional<Library> library_;
    std::optional<Asked> asked_;
    std::string remark_;
};

}  // namespace highwater::cudnn
