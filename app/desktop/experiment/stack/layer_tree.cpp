#include "app/desktop/experiment/stack/layer_tree.h"

#include <algorithm>
#include <map>
#include <utility>

namespace highwater::desktop {

namespace {

Path parentOf(const Path& path) {
    return Path(path.begin(), path.end() - 1);
}

Path childOf(Path parent, int row) {
    parent.push_back(row);
    return parent;
}

bool isWithin(const Path& path, const Path& ancestor) {
    return path.size() >= ancestor.size() && std::equal(ancestor.begin(), ancestor.end(), path.begin());
}

template <class Visit>
void visitLayers(Layers& layers, const Visit& visit) {
    for (stack::Layer& layer : layers) {
        visit(layer);
        if (stack::Block* block = blockOf(layer)) {
            visitLayers(block->layers, visit);
        }
    }
}

template <class Visit>
void visitLayers(const Layers& layers, const Visit& visit) {
    for (const stack::Layer& layer : layers) {
        visit(layer);
        if (const stack::Block* block = blockOf(layer)) {
            visitLayers(block->layers, visit);
        }
    }
}

void collectPaths(const Layers& layers, const Path& parent, Paths& out) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        out.push_back(childOf(parent, static_cast<int>(i)));
        if (const stack::Block* block = blockOf(layers[i])) {
            collectPaths(block->layers, Path(out.back()), out);
        }
    }
}

/// Where a path points once `removed` (outermost, sorted) are removed; the path itself must not be among
/// them.
Path afterRemoval(Path path, const Paths& removed) {
    for (auto gone = removed.rbegin(); gone != removed.rend(); ++gone) {
        const std::size_t level = gone->size() - 1;
        const bool sameList = path.size() > level && std::equal(gone->begin(), gone->end() - 1, path.begin());
        if (sameList && gone->back() < path[level]) {
            --path[level];
        }
    }
    return path;
}

bool inOneList(const Paths& paths) {
    return !paths.empty() && std::all_of(paths.begin(), paths.end(), [&](const Path& p) {
        return parentOf(p) == parentOf(paths.front());
    });
}

Paths rowsFrom(const Path& parent, int row, std::size_t count) {
    Paths out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(childOf(parent, row + static_cast<int>(i)));
    }
    return out;
}

}  // namespace

const stack::Layer* layerAt(const Layers& layers, const Path& path) {
    if (path.empty()) {
        return nullptr;
    }
    const Layers* list = listAt(layers, parentOf(path));
    const int row = path.back();
    return list && row >= 0 && row < static_cast<int>(list->size()) ? &(*list)[row] : nullptr;
}

stack::Layer* layerAt(Layers& layers, const Path& path) {
    return const_cast<stack::Layer*>(layerAt(std::as_const(layers), path));
}

const Layers* listAt(const Layers& layers, const Path& parent) {
    const Layers* list = &layers;
    for (const int row : parent) {
        if (row < 0 || row >= static_cast<int>(list->size())) {
            return nullptr;
        }
        const stack::Block* block = blockOf((*list)[row]);
        if (!block) {
            return nullptr;
        }
        list = &block->layers;
    }
    return list;
}

Layers* listAt(Layers& layers, const Path& parent) {
    return const_cast<Layers*>(listAt(std::as_const(layers), parent));
}

Paths outermost(Paths paths) {
    std::sort(paths.begin(), paths.end());
    Paths out;
    for (Path& path : paths) {
        if (!path.empty() && (out.empty() || !isWithin(path, out.back()))) {
            out.push_back(std::move(path));
        }
    }
    return out;
}

Layers copyOf(const Layers& layers, const Paths& paths) {
    Layers out;
    for (const Path& path : outermost(paths)) {
        if (const stack::Layer* layer = layerAt(layers, path)) {
            out.push_back(*layer);
        }
    }
    return out;
}

Paths insertLayers(Layers& layers, const Path& parent, int row, Layers added) {
    Layers* list = listAt(layers, parent);
    if (!list) {
        return {};
    }
    const int size = static_cast<int>(list->size());
    const int at = row < 0 || row > size ? size : row;
    const std::size_t count = added.size();
    list->insert(list->begin() + at, std::make_move_iterator(added.begin()),
                 std::make_move_iterator(added.end()));
    return rowsFrom(parent, at, count);
}

void removeLayers(Layers& layers, const Paths& paths) {
    const Paths sorted = outermost(paths);
    for (auto path = sorted.rbegin(); path != sorted.rend(); ++path) {
        if (layerAt(layers, *path)) {
            Layers* list = listAt(layers, parentOf(*path));
            list->erase(list->begin() + path->back());
        }
    }
}

std::optional<Paths> moveLayers(Layers& layers, const Paths& paths, const Path& parent, int row) {
    const Paths moved = outermost(paths);
    const bool intoItself =
        std::any_of(moved.begin(), moved.end(), [&](const Path& p) { return isWithin(parent, p); });
    const Layers* list = listAt(layers, parent);
    if (moved.empty() || intoItself || !list) {
        return std::nullopt;
    }
    const int size = static_cast<int>(list->size());
    const Path target = afterRemoval(childOf(parent, row < 0 || row > size ? size : row), moved);
    Layers taken = copyOf(layers, moved);
    removeLayers(layers, moved);
    return insertLayers(layers, parentOf(target), target.back(), std::move(taken));
}

std::optional<Paths> shiftLayers(Layers& layers, const Paths& paths, int by) {
    const Paths moved = outermost(paths);
    if (!inOneList(moved)) {
        return std::nullopt;
    }
    const Path parent = parentOf(moved.front());
    const Layers* list = listAt(layers, parent);
    if (!list) {
        return std::nullopt;
    }
    const int last = static_cast<int>(list->size()) - 1;
    const bool atEnd = by < 0 ? moved.front().back() == 0 : moved.back().back() == last;
    if (!atEnd) {
        return moveLayers(layers, moved, parent, by < 0 ? moved.front().back() - 1 : moved.back().back() + 2);
    }
    if (parent.empty()) {
        return std::nullopt;
    }
    return moveLayers(layers, moved, parentOf(parent), parent.back() + (by < 0 ? 0 : 1));
}

Paths duplicateLayers(Layers& layers, const Paths& paths) {
    const Paths chosen = outermost(paths);
    Paths out;
    // From the back, so that the remaining paths stay valid; later results shift by what is added.
    for (std::size_t end = chosen.size(); end > 0;) {
        std::size_t begin = end - 1;
        while (begin > 0 && parentOf(chosen[begin - 1]) == parentOf(chosen[end - 1]) &&
               chosen[begin - 1].back() + 1 == chosen[begin].back()) {
            --begin;
        }
        Layers copies = copyOf(layers, Paths(chosen.begin() + begin, chosen.begin() + end));
        makeIdsUnique(copies, layerIds(layers));
        makeBlockNamesUnique(copies, layers);
        const Path parent = parentOf(chosen[end - 1]);
        const int row = chosen[end - 1].back() + 1;
        const int count = static_cast<int>(copies.size());
        for (Path& earlier : out) {
            if (isWithin(earlier, parent) && earlier.size() > parent.size() &&
                earlier[parent.size()] >= row) {
                earlier[parent.size()] += count;
            }
        }
        for (Path& path : insertLayers(layers, parent, row, std::move(copies))) {
            out.push_back(std::move(path));
        }
        end = begin;
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::optional<Path> groupLayers(Layers& layers, const Paths& paths, const std::string& name) {
    const Paths chosen = outermost(paths);
    if (!inOneList(chosen)) {
        return std::nullopt;
    }
    stack::Layer block{"", stack::Block{name, false, copyOf(layers, chosen)}};
    removeLayers(layers, chosen);
    Layers added;
    added.push_back(std::move(block));
    const Path first = chosen.front();
    return insertLayers(layers, parentOf(first), first.back(), std::move(added)).front();
}

Paths ungroupLayers(Layers& layers, const Paths& paths) {
    Paths chosen = outermost(paths);
    Paths out;
    std::reverse(chosen.begin(), chosen.end());
    for (const Path& path : chosen) {
        stack::Layer* layer = layerAt(layers, path);
        stack::Block* block = layer ? blockOf(*layer) : nullptr;
        if (!block) {
            continue;
        }
        Layers inner = std::move(block->layers);
        const int grown = static_cast<int>(inner.size()) - 1;
        removeLayers(layers, {path});
        for (Path& later : out) {
            if (isWithin(later, parentOf(path)) && later[path.size() - 1] > path.back()) {
                later[path.size() - 1] += grown;
            }
        }
        for (Path& added : insertLayers(layers, parentOf(path), path.back(), std::move(inner))) {
            out.push_back(std::move(added));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::string> layerIds(const Layers& layers) {
    std::vector<std::string> ids;
    visitLayers(layers, [&](const stack::Layer& layer) {
        if (!layer.id.empty()) {
            ids.push_back(layer.id);
        }
    });
    return ids;
}

void makeIdsUnique(Layers& added, const std::vector<std::string>& taken) {
    std::set<std::string> used(taken.begin(), taken.end());
    std::map<std::string, std::string> renamed;
    visitLayers(added, [&](stack::Layer& layer) {
        if (layer.id.empty()) {
            return;
        }
        std::string fresh = layer.id;
        for (int n = 2; !used.insert(fresh).second; ++n) {
            fresh = layer.id + "_" + std::to_string(n);
        }
        renamed[layer.id] = fresh;
        layer.id = fresh;
    });
    visitLayers(added, [&](stack::Layer& layer) {
        const auto rename = [&](std::string& id) {
            if (const auto found = renamed.find(id); found != renamed.end()) {
                id = found->second;
            }
        };
        if (auto* merge = std::get_if<stack::Merge>(&layer.op)) {
            std::for_each(merge->with.begin(), merge->with.end(), rename);
        } else if (auto* unknown = std::get_if<stack::Unknown>(&layer.op)) {
            std::for_each(unknown->with.begin(), unknown->with.end(), rename);
        } else if (auto* shared = std::get_if<stack::Shared>(&layer.op)) {
            rename(shared->with);
        }
    });
}

namespace {
std::set<std::string> blockNames(const Layers& layers) {
    std::set<std::string> names;
    visitLayers(layers, [&](const stack::Layer& layer) {
        if (const stack::Block* block = blockOf(layer)) {
            names.insert(block->name);
        }
    });
    return names;
}
}  // namespace

void makeBlockNamesUnique(Layers& added, const Layers& layers) {
    std::set<std::string> names = blockNames(layers);
    for (stack::Layer& layer : added) {
        stack::Block* const block = blockOf(layer);
        if (block == nullptr || block->name.empty() || names.insert(block->name).second) {
            continue;
        }
        const std::string stem = block->name.substr(0, block->name.find_last_not_of("0123456789") + 1);
        int n = 2;
        while (!names.insert(stem + std::to_string(n)).second) {
            ++n;
        }
        block->name = stem + std::to_string(n);
    }
}

std::string freeBlockName(const Layers& layers) {
    const std::set<std::string> names = blockNames(layers);
    int n = 1;
    while (names.contains("block" + std::to_string(n))) {
        ++n;
    }
    return "block" + std::to_string(n);
}

Paths allPaths(const Layers& layers) {
    Paths out;
    collectPaths(layers, {}, out);
    return out;
}

std::string pointerOf(const Path& path) {
    std::string pointer = "/stack";
    for (std::size_t i = 0; i < path.size(); ++i) {
        pointer += (i > 0 ? "/layers/" : "/") + std::to_string(path[i]);
    }
    return pointer;
}

}  // namespace highwater::desktop
