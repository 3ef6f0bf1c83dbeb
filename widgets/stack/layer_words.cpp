#include "widgets/stack/layer_words.h"

#include <QStringList>
#include <algorithm>

#include "core/base/overloaded.h"
#include "widgets/stack/sizes_text.h"

namespace highwater::widgets {

namespace {

bool all(const stack::Sizes& sizes, std::int64_t value) {
    return std::all_of(sizes.begin(), sizes.end(), [&](auto s) { return s == value; });
}

void addStride(QStringList& words, const stack::Sizes& stride) {
    if (!all(stride, 1)) {
        words << "stride " + sizesWords(stride, 1);
    }
}

void addPadding(QStringList& words, const stack::Padding& padding) {
    if (padding.same) {
        words << "pad same";
    } else if (!all(padding.sizes, 0)) {
        words << "pad " + sizesWords(padding.sizes, 1);
    }
}

void addDilation(QStringList& words, const stack::Sizes& dilation) {
    if (!all(dilation, 1)) {
        words << "dilation " + sizesWords(dilation, 1);
    }
}

template <class C>
int dimsOf(const C& conv, int dims) {
    return conv.dims > 0 ? conv.dims : dims;
}

/// Of a conv, conv_transpose or separable_conv.
template <class C>
void addConv(QStringList& words, const C& c, int dims) {
    words << sizesWords(c.kernelSize, dimsOf(c, dims));
    addStride(words, c.stride);
    if constexpr (requires { c.outputPadding; }) {
        addPadding(words, {false, c.padding});
    } else {
        addPadding(words, c.padding);
    }
    addDilation(words, c.dilation);
    if constexpr (requires { c.groups; }) {
        if (c.groups > 1) {
            words << QString("groups %1").arg(c.groups);
        }
    }
}

QStringList wordsOf(const stack::Op& op, int dims, bool byBlock) {
    QStringList words;
    std::visit(
        base::Overloaded{
            [&](const stack::Conv& c) { addConv(words, c, dims); },
            [&](const stack::ConvTranspose& c) { addConv(words, c, dims); },
            [&](const stack::SeparableConv& c) { addConv(words, c, dims); },
            [&](const stack::CustomConv& c) {
                words << sizesWords(c.kernelSize, dimsOf(c, dims));
                addPadding(words, c.padding);
            },
            [&](const stack::Norm& n) {
                if (n.kind == stack::Norm::Kind::Group) {
                    words << QString("%1 groups").arg(n.numGroups);
                }
            },
            [&](const stack::LayerNorm& n) { words << "over " + sizesText(n.normalizedShape); },
            [&](const stack::LocalResponseNorm& n) { words << QString("over %1 channels").arg(n.size); },
            [&](const stack::InplaceAbn& n) {
                words << (n.activation == stack::InplaceAbn::Function::Elu ? "elu" : "leaky_relu");
            },
            [&](const stack::Activation& a) {
                if (a.inplace) {
                    words << "in place";
                }
            },
            [&](const stack::Prelu& p) {
                if (p.numParameters > 1) {
                    words << QString("%1 slopes").arg(p.numParameters);
                }
            },
            [&](const stack::Softmax& s) { words << QString("dim %1").arg(s.dim); },
            [&](const stack::Scale& s) {
                words << (s.kind == stack::Scale::Kind::Scale ? "× " : "+ ") + numberText(s.value);
            },
            [&](const stack::Pool& p) {
                words << sizesWords(p.kernelSize, dims);
                if (!p.stride.empty() && p.stride != p.kernelSize) {
                    words << "stride " + sizesWords(p.stride, 1);
                }
                addPadding(words, {false, p.padding});
            },
            [&](const stack::Pad& p) {
                static const char* const modes[] = {"constant", "reflect", "replicate", "circular"};
                words << sizesText(p.padding) << modes[static_cast<int>(p.mode)];
            },
            [&](const stack::Crop& c) { words << sizesWords(c.size, dims) << "from " + sizesText(c.start); },
            [&](const stack::AdaptivePool& p) { words << "to " + sizesWords(p.outputSize, dims); },
            [&](const stack::Flatten&) {},
            [&](const stack::Reshape& r) { words << "to " + sizesText(r.shape); },
            [&](const stack::Permute& p) { words << "axes " + sizesText(p.dims); },
            [&](const stack::Select& s) { words << QString("place %1 of axis %2").arg(s.index).arg(s.dim); },
            [&](const stack::Slice& s) {
                words << QString("places %1 to %2 of axis %3").arg(s.start).arg(s.end - 1).arg(s.dim);
                if (s.step != 1) {
                    words << QString("step %1").arg(s.step);
                }
            },
            [&](const stack::Roll& r) {
                words << "by " + sizesText(r.shifts) << "axes " + sizesText(r.dims);
            },
            [&](const stack::RelativePositionBias& b) {
                words << "windows of " + sizesText(b.windowSize) << QString("%1 heads").arg(b.numHeads);
            },
            [&](const stack::WindowMask& m) {
                words << "windows of " + sizesText(m.windowSize) << "in " + sizesText(m.size);
            },
            [&](const stack::Unknown& u) {
                words << QString::fromStdString(u.operatorName) << "not counted";
            },
            [&](const stack::Copy&) {},
            [&](const stack::Learned& l) { words << "of " + sizesText(l.shape); },
            [&](const stack::StochasticDepth& d) {
                words << "p " + numberText(d.p);
                if (d.mode == stack::StochasticDepth::Mode::Batch) {
                    words << "batch";
                }
            },
            [&](const stack::Linear& l) {
                if (!l.bias) {
                    words << "no bias";
                }
            },
            [&](const stack::Upsample& u) {
                if (u.size.empty()) {
                    words << "× " + numbersText(u.scaleFactor);
                } else {
                    words << "to " + sizesWords(u.size, dims);
                }
                static const char* const modes[] = {"nearest", "linear", "bilinear", "trilinear"};
                words << modes[static_cast<int>(u.mode)];
            },
            [&](const stack::Dropout& d) {
                words << "p " + numberText(d.p);
                if (d.feature) {
                    words << "channels";
                }
            },
            [&](const stack::Head& h) { words << "weight " + numberText(h.weight); },
            [&](const stack::Shared& s) {
                words << "of " + (s.with.empty() ? QString("?") : QString::fromStdString(s.with));
            },
            [&](const stack::Merge& m) {
                words << "with " + (m.with.empty() ? QString("?") : idsText(m.with));
                if (m.dim != stack::Merge().dim) {
                    words << QString("dim %1").arg(m.dim);
                }
                if (m.inplace) {
                    words << "in place";
                }
                if (m.isCausal) {
                    words << "causal";
                }
                if (m.scale > 0) {
                    words << "scale " + numberText(m.scale);
                }
                if (m.dropoutP > 0) {
                    words << "dropout " + numberText(m.dropoutP);
                }
            },
            [&](const stack::Block& b) {
                if (!b.name.empty()) {
                    words << QString::fromStdString(b.name);
                }
                if (b.checkpoint) {
                    words << (byBlock ? "checkpoint" : "checkpoint off");
                }
            }},
        op);
    return words;
}

}  // namespace

QString idsText(const std::vector<std::string>& ids) {
    QStringList texts;
    for (const std::string& id : ids) {
        texts << QString::fromStdString(id);
    }
    return texts.join(", ");
}

QString optionsInWords(const stack::Layer& layer, int dims, bool byBlock) {
    QStringList words = wordsOf(layer.op, dims, byBlock);
    if (!layer.id.empty()) {
        words << "id " + QString::fromStdString(layer.id);
    }
    return words.join(", ");
}

std::vector<TypeGroup> typeGroups() {
    const std::vector<TypeGroup> known = {
        {"Convolution", {"conv", "conv_transpose", "separable_conv", "custom_conv"}},
        {"Normalisation",
         {"batch_norm", "instance_norm", "group_norm", "layer_norm", "local_response_norm", "inplace_abn"}},
        {"Activation",
         {"relu", "leaky_relu", "elu", "gelu", "silu", "sigmoid", "tanh", "relu6", "hardswish", "hardsigmoid",
          "mish", "prelu", "softmax"}},
        {"Resolution",
         {"max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool", "upsample", "pad", "crop"}},
        {"Regularisation", {"dropout", "stochastic_depth"}},
        {"Constant", {"scale", "offset"}},
        {"Learned", {"layer_scale", "position_embedding", "class_token"}},
        {"Windows", {"relative_position_bias", "window_mask"}},
        {"Classifier", {"flatten", "linear"}},
        {"Axes", {"reshape", "permute", "select", "slice", "roll", "contiguous", "clone"}},
        {"Merge", {"add", "sub", "mul", "concat", "matmul", "scaled_dot_product_attention", "branch"}},
        {"Again", {"shared"}},
        {"Deep supervision", {"head"}}};
    std::vector<TypeGroup> groups;
    std::vector<std::string_view> rest = stack::typeNames();
    std::erase(rest, "block");
    for (const TypeGroup& group : known) {
        TypeGroup present{group.title, {}};
        for (const std::string_view type : group.types) {
            if (std::erase(rest, type) > 0) {
                present.types.push_back(type);
            }
        }
        if (!present.types.empty()) {
            groups.push_back(std::move(present));
        }
    }
    if (!rest.empty()) {
        groups.push_back({"Other", std::move(rest)});
    }
    return groups;
}

}  // namespace highwater::widgets
