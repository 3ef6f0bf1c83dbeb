#include "app/cli/rank_options.h"

#include "core/stack/ranks.h"

namespace highwater::cli {

CLI::Option* addRankOptions(CLI::App& command, predict::Ranks& ranks) {
    CLI::Option* const count =
        command
            .add_option("--ranks", ranks.count,
                        "Data-parallel training with this many processes: each has the experiment's "
                        "batch_size, so a step has N times as many samples (default: 1)")
            ->type_name("N")
            ->check(CLI::Range(1, stack::kMostRanks));
    command
        .add_flag("--gradient-as-bucket-view", ranks.gradientAsBucketView,
                  "DistributedDataParallel's option: gradients are views of the buckets")
        ->needs(count);
    return count;
}

}  // namespace highwater::cli
