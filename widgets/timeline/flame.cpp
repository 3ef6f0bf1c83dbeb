#include "widgets/timeline/flame.h"

#include <QObject>
#include <algorithm>
#include <array>
#include <map>

namespace highwater::widgets {

namespace {

using memory::kCategoryCount;
using Shares = std::vector<std::array<double, kCategoryCount>>;  // by layer; the last one: without a layer

constexpr std::string_view kWithin = " · ";
constexpr int kMostLevels = 24;

Shares shares(const TraceIndex& index, const StateRange& range) {
    const std::size_t layers = index.trace().layers.size();
    const TimelineAxis axis = index.axis(TimelineAxis::Time);
    const double from = index.begin(axis, range.first), to = index.begin(axis, range.last + 1);
    Shares sums(layers + 1);
    for (const Span& span : index.spans()) {
        if (span.begin > range.last || span.end <= range.first) {
            continue;
        }
        const double length =
            std::min(to, index.begin(axis, span.end)) - std::max(from, index.begin(axis, span.begin));
        const std::size_t place = span.layer < 0 ? layers : static_cast<std::size_t>(span.layer);
        sums[place][static_cast<std::size_t>(span.category)] +=
            byteTime(index, index.bytes(span.block), length);
    }
    return sums;
}

/// Boxes by their full name, created on demand, parents first.
class Tree {
public:
    Tree() : boxes_(1) {}

    int boxOf(std::string_view name, int levels = kMostLevels) {
        if (const auto known = places_.find(name); known != places_.end()) {
            return known->second;
        }
        const std::size_t cut = name.rfind(kWithin);
        const bool nested = cut != std::string_view::npos && levels > 0;
        const int parent = nested ? boxOf(name.substr(0, cut), levels - 1) : 0;
        const int box = add(parent, nested ? name.substr(cut + kWithin.size()) : name);
        places_.emplace(name, box);
        return box;
    }

    int add(int parent, std::string_view name) {
        FlameBox box;
        box.name = name;
        box.parent = parent;
        box.depth = at(parent).depth + 1;
        boxes_.push_back(std::move(box));
        return static_cast<int>(boxes_.size()) - 1;
    }

    FlameBox& at(int box) { return boxes_[static_cast<std::size_t>(box)]; }

    /// Sums the values up to the root, assigns positions, and removes empty boxes.
    std::vector<FlameBox> finish() {
        for (std::size_t i = boxes_.size(); i-- > 1;) {
            at(boxes_[i].parent).value += boxes_[i].value;
        }
        std::vector<FlameBox> kept;
        std::vector<int> place(boxes_.size(), -1);
        std::vector<double> next;
        const double all = boxes_.front().value;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            FlameBox& box = boxes_[i];
            if (box.value <= 0) {
                continue;
            }
            if (box.parent >= 0) {
                box.parent = place[static_cast<std::size_t>(box.parent)];
                double& free = next[static_cast<std::size_t>(box.parent)];
                box.begin = free;
                free += box.value / all;
            }
            place[i] = static_cast<int>(kept.size());
            next.push_back(box.begin);
            kept.push_back(std::move(box));
        }
        return kept;
    }

private:
    std::vector<FlameBox> boxes_;
    std::map<std::string, int, std::less<>> places_;
};

}  // namespace

std::vector<FlameBox> flameGraph(const TraceIndex& index, const StateRange& range) {
    const auto sums = shares(index, range);
    const auto& layers = index.trace().layers;
    Tree tree;
    std::vector<int> boxes;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        boxes.push_back(tree.boxOf(layers[i]));
        tree.at(boxes.back()).layer = static_cast<int>(i);
    }
    boxes.push_back(tree.add(0, QObject::tr("no layer").toStdString()));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t c = 0; c < kCategoryCount; ++c) {
            if (sums[i][c] > 0) {
                const int box = tree.add(boxes[i], memory::categoryKey(memory::kCategories[c]));
                tree.at(box).category = static_cast<int>(c);
                tree.at(box).layer = i < layers.size() ? static_cast<int>(i) : -1;
                tree.at(box).value = sums[i][c];
            }
        }
    }
    return tree.finish();
}

}  // namespace highwater::widgets
