#pragma once

#include "core/base/result.h"
#include "core/predict/fit/prediction.h"
#include "core/predict/target/target.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// Predicts the GPU memory of a network that segments one case by sliding windows.
namespace highwater::predict {

/// A case as nnU-Net 2.8 predicts it (nnUNetPredictor._internal_predict_sliding_window_return_logits).
struct InferenceCase {
    stack::Sizes size;         ///< D, H, W after resampling, padded to the patch
    std::int64_t windows = 1;  ///< number of windows
    std::int64_t channels = 1, heads = 2;
    bool mirror = true;    ///< mirrored copies of each window are averaged
    bool onDevice = true;  ///< image and logits are on the GPU (perform_everything_on_device)
};

/// Walks `experiment`'s network, whose input is one window, and the buffers around it, with the allocations
/// of PyTorch on a GPU:
///
/// - weights in fp32, and autocast's copies in 16 bits;
/// - up to four windows of the image in fp32: the one in use, two in the queue, and one that waits for it;
/// - the forward without a graph; Python's frames hold a stage's input until the stage has ended, and a list
///   holds all encoder outputs until the decoder has ended;
/// - the window's logits in 16 bits, of this window and of the one before; a mirrored copy of the input and
/// of
///   the logits;
/// - with `onDevice` the image in fp32, the logits in fp16, and the sum of the weights in fp16. At the end
///   torch.isinf() is called on the logits: its absolute values take as much as the logits, its result one
///   byte for each, so that the peak of a large case is 5 bytes for each voxel and class.
///
/// Fills in peakAllocated, peakReserved, capacity, fits, oomProbability, outOfMemory, the peak's ledger,
/// guesses and basis. Errors: a network that cannot be predicted for this target; no GPU.
base::Result<Prediction> predictInference(const stack::Experiment& experiment, const stack::StackInfo& info,
                                          const Target& target, const InferenceCase& its);

}  // namespace highwater::predict
