#pragma once

#include <initializer_list>
#include <string>

#include "app/desktop/experiment/stack/layer_tree.h"
#include "core/stack/experiment.h"

/// Small stacks as text: "conv relu [conv relu] conv" is a list with a block. "conv:a" gives an id, "add=a" a
/// merge with it.
namespace highwater::testing {

inline stack::Layer layerFrom(const std::string& word) {
    const auto colon = word.find(':');
    const auto equals = word.find('=');
    stack::Layer layer{"", *stack::makeOp(word.substr(0, std::min(colon, equals)))};
    if (colon != std::string::npos) {
        layer.id = word.substr(colon + 1);
    }
    if (auto* merge = std::get_if<stack::Merge>(&layer.op); merge && equals != std::string::npos) {
        merge->with = {word.substr(equals + 1)};
    }
    if (auto* conv = std::get_if<stack::Conv>(&layer.op)) {
        conv->padding.sizes = {1};
    }
    return layer;
}

inline desktop::Layers layersFrom(const std::string& text, std::size_t& at) {
    desktop::Layers layers;
    std::string word;
    const auto flush = [&] {
        if (!word.empty()) {
            layers.push_back(layerFrom(word));
        }
        word.clear();
    };
    for (; at < text.size(); ++at) {
        if (text[at] == '[') {
            layers.push_back({"", stack::Block{"b", false, layersFrom(text, ++at)}});
        } else if (text[at] == ']') {
            break;
        } else if (text[at] == ' ') {
            flush();
        } else {
            word += text[at];
        }
    }
    flush();
    return layers;
}

inline desktop::Layers layersFrom(const std::string& text) {
    std::size_t at = 0;
    return layersFrom(text, at);
}

inline std::string textOf(const desktop::Layers& layers) {
    std::string text;
    for (const stack::Layer& layer : layers) {
        if (!text.empty()) {
            text += ' ';
        }
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            text += '[' + textOf(block->layers) + ']';
            continue;
        }
        text += stack::typeName(layer.op);
        if (!layer.id.empty()) {
            text += ':' + layer.id;
        }
        if (const auto* merge = std::get_if<stack::Merge>(&layer.op); merge) {
            for (const std::string& id : merge->with) {
                text += '=' + id;
            }
        }
    }
    return text;
}

inline stack::Experiment experimentFrom(const std::string& text) {
    stack::Experiment experiment;
    experiment.input = stack::SyntheticInput{{1, 16, 16, 16}};
    experiment.loss = stack::Loss::Mean;
    experiment.stack = layersFrom(text);
    return experiment;
}

}  // namespace highwater::testing
