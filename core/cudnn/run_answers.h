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

/// Parses predict::questionName(). Errors, one line: it is not a question, or it asks about no part or
/// several parts.
base::Result<std::pair<predict::GpuConvolution, predict::ConvPart>> parseQuestion(std::string_view question);

/// The run on the pretended device that asks.
struct RunSetup {
    predict::DeviceProfile gpu;
    predict::CudnnVersion version;  ///< the version of the run's cuDNN
    int cuda = 0;                   ///< the major version of the run's CUDA; 0 if unknown
    std::filesystem::path library;  ///< the folder of the run's libcudnn.so.9; empty: wherever the loader
                                    ///< finds it
};

/// Answers the questions of a run on the pretended device. In this order:
/// - cached: cuDNN was asked earlier (PlanCache, in the first of predict::askedFolders()),
/// - asked: cuDNN is loaded at the first such question, and asked,
/// - table: if cuDNN cannot be asked (older than 9.8, not the run's version, a GPU that it does not
///   know), the first, the smallest and the largest plan of an answer that Highwater ships,
/// - guessed: predict::ruledWorkspace().
class RunAnswers {
public:
    explicit RunAnswers(RunSetup setup);
    RunAnswers(const RunAnswers&) = delete;
    RunAnswers& operator=(const RunAnswers&) = delete;

    /// "SOURCE PLANS" (planText()), one line. Error, one line: it is not a question.
    base::Result<std::string> answer(const std::string& question);
    /// A remark on the answers so far, one line, returned once: why cuDNN is not asked. Empty if there is
    /// none.
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
