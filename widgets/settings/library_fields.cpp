#include "widgets/settings/settings_fields.h"
#include "widgets/settings/settings_values.h"
#include "widgets/stack/part_fields.h"

namespace highwater::widgets {

using stack::Backend;
using stack::Experiment;

namespace {

void addCudnn(OptionForm& form, PartFields<Backend>& f, const SettingsDevices& here) {
    const auto gpu = [&here](const QString& why) {
        return [&here, why](const Experiment&) { return onGpu(here, why); };
    };
    f.toggle("cudnn",
             "Use cuDNN for convolutions. Off: PyTorch's own kernels, mostly slower, with other memory needs",
             &Backend::cudnn);
    form.when(gpu("cuDNN computes on GPUs; for the CPU use the oneDNN switch"));
    f.toggle("benchmark",
             "cuDNN tries its algorithms in the first step and keeps the fastest: its workspace may be large",
             &Backend::benchmark);
    form.when(gpu("cuDNN computes on GPUs; it has no algorithms to choose from on the CPU"));
    f.toggle("tf32",
             "Products of fp32 numbers on tensor cores, with 10 bits of fraction: usually faster. Memory "
             "can be higher or lower, as cuDNN takes other kernels",
             &Backend::tf32);
    form.when(gpu("TF32 is a number format of GPUs"));
    form.addParsed<std::optional<base::Bytes>>("workspace_limit",
                                               "The most memory that cuDNN may ask for in addition to "
                                               "tensors, such as 256 MiB; empty: no limit.\n"
                                               "A small one can rule out the fast algorithms",
                                               parseLimit, limitText, f.get(&Backend::workspaceLimit),
                                               f.set(&Backend::workspaceLimit))
        ->setPlaceholderText("no limit");
    form.when(gpu("It caps cuDNN, which computes on GPUs"));
    f.text("alloc_conf",
           "Options of PyTorch's allocator on GPUs, as in PYTORCH_CUDA_ALLOC_CONF:\n"
           "max_split_size_mb:128 or expandable_segments:True",
           "PyTorch's", &Backend::allocConf);
    form.when(gpu("It sets the allocator of GPUs; the CPU's has no options"));
    form.wide();
}

}  // namespace

void addLibraryFields(OptionForm& form, const SettingsDevices& here) {
    form.setPath("/backend/");
    PartFields<Backend> f(form, [](const Experiment& e) { return &e.backend; });
    f.integer("threads", "Threads that compute on the CPU. 0: as many as LibTorch chooses", 0, 4096,
              &Backend::threads);
    f.toggle(
        "onednn",
        "Use oneDNN for convolutions. Off: PyTorch's own kernels, mostly slower, with other memory needs",
        &Backend::onednn);
    form.when([&here](const Experiment&) {
        return here.cpu
                   ? Availability()
                   : Availability{true, "needs the CPU", "oneDNN computes on the CPU. Choose it to run on"};
    });
    f.toggle("deterministic",
             "Use algorithms that give the same bits each time, where they exist; some are slower",
             &Backend::deterministic);
    addCudnn(form, f, here);
}

}  // namespace highwater::widgets
