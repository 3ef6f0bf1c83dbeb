#include "core/ask/learner.h"

#include <algorithm>
#include <utility>

namespace highwater::ask {

namespace {

/// The target's table is shared with other predictions, so the target gets its own copy.
void join(const predict::AskedTable& answers, predict::Target& target) {
    auto joined = std::make_shared<predict::AskedTable>(*target.asked);
    joined->join(answers);
    target.asked = std::move(joined);
}

}  // namespace

Learner::Learner(Asking asking, Work work) : asking_(std::move(asking)), work_(std::move(work)) {
    asking_.tried = &tried_;
}

bool Learner::teach(const predict::Prediction& prediction, predict::Target& target) {
    const std::vector<std::string> open = openQuestions(prediction);
    if (!target.asked || open.empty()) {
        return false;
    }
    if (recall(open, target)) {
        return true;
    }
    const bool fresh =
        std::ranges::any_of(open, [&](const std::string& each) { return !tried_.contains(each); });
    if (nobody_ || !fresh || (asking_.cancel != nullptr && asking_.cancel->load())) {
        return false;
    }
    const auto answers = work_(target.asked->key(), prediction, asking_);
    nobody_ = !answers;
    why_ = answers ? answers->open : answers.error().message;
    if (!answers || answers->table.size() == 0) {
        return false;
    }
    learned_.join(answers->table);
    join(answers->table, target);
    return true;
}

void Learner::tell(predict::Target& target) const {
    if (target.asked && learned_.size() > 0) {
        join(learned_, target);
    }
}

/// Questions that were already answered for another size.
bool Learner::recall(const std::vector<std::string>& open, predict::Target& target) const {
    const bool known =
        std::ranges::any_of(open, [&](const std::string& each) { return learned_.find(each) != nullptr; });
    if (known) {
        join(learned_, target);
    }
    return known;
}

}  // namespace highwater::ask
