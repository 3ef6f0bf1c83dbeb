<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>QObject</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first GPU %1; check it in Run &gt; Hosts… to see its GPUs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on this machine, with the engine built for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on %1, through ssh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The CPU </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>through PyTorch %1 of %2; nothing is compiled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pretended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The GPU under Predict for, pretended: nothing is executed, </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>partly asked of cuDNN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asked before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest patch: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest patch of these proportions whose upper estimate fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest batch: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest batch whose upper estimate fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>within the noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1%2 points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rounded differently</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the losses of %1 steps are equal to the bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a loss differs by %1 (relative)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak without the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs of %2 steps each, in turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at least this much: some operators are unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an estimate with guessed workspaces%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asked of cuDNN %1%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory exact, time an estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an estimate: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>within %1 on %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing certainly fits %1: the least possible is %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing fits %1: the least possible is %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit %1, %2 too much</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May not fit %1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>offload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>offload %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>partly offloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>partly recomputed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keeps all %1 for the backward pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keeps %1 of %2 for the backward pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: keeps %2 for the backward pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 is recomputed or kept in host memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 waits in host memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 is recomputed instead of kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tensors, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The predicted memory of the plan&apos;s step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recomputed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What recomputation brings back until the backward pass has used it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 with LibTorch %2 and cuDNN %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak resident set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU memory at the peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used, as nvidia-smi shows it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>conditions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step, median (95 %)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none: pretended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples per second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>#%1 differs from #%2 in: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing except the measurement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: batch %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (process %2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time: too few steps to tell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time within the noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>several</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (1 run)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 runs)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run shown in gauge and plots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 warnings: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select two or more on one grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has not been read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is %2 voxels, %3 is %4: channels must share one grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has voxels of %2 mm, %3 of %4: channels must share one grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 % of the resampled median case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: no scan in this folder; choose one with DICOM, NIfTI, NRRD or MetaImage files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 DICOM file cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 DICOM files cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 other file is not a scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 other files are not scans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in %1 of step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 asked of cuDNN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 from a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 guessed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspaces: %1, the largest %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With benchmark, the winner is not known: from %1 to %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>During the first step, which times them, up to %1 may be in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pretended peak %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (as given for this GPU)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (measured on this machine)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 reserved by PyTorch; %2 on the device with a CUDA context of %3, of %4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values are read at %1. All values are 0 here, so a tensor whose size depends on one may be smaller than on a real GPU.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(outside of modules)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(autograd)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script never used the GPU.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the script that trains your network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no folder %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run could not be started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the picture cannot be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported %1, a program that trains the same network with PyTorch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open experiment…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import nnU-Net plans…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a PyTorch network…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your script…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample opened. Ctrl+Z to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open scan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Overlay label map…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DICOM header…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent scans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cohort…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open memory snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate from a snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the head phantom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiment as a PyTorch program (.py)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A Python program that trains the same network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard unsaved work of other windows…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers of the stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where does it fit?…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make it fit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How memory grows…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted and measured by layer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate this machine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hosts…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare the selected runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory timeline…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a run to see its memory, or press Run first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder of runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Claims…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Factorial…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Match system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taller runs table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorter runs table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show loss instead of times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Manual…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard and mouse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is this?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not measured on this machine yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This finding has no figures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 thread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 does not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 do not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 depends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 depend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not testable here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 not yet run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 to %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, within the noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory, two together: beyond what each does alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time, two together: beyond what each does alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimated time: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimated time: %1 to %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 combination cannot be run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 combinations cannot be run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it needs a GPU; choose one to run on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has no effect on a GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cannot be run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no lever &quot;%1&quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network then computes something different: compare its losses too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not available: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same each time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>depends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not testable here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not yet run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 to %2 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured, %1 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without failures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The highest total of all tensor memory in a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The median step after the warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The batch size divided by the time of a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss of the last step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a study</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimating %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>when memory ran out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>where you clicked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 times out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 record</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 records</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 reserved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 were requested.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 requested, %2 free.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU %1 ran out of memory: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU %1 ran out of memory %2 times, most recently when %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PyTorch memory snapshots (*.pickle *.pkl);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory and time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory within a step, peaks over steps, time by phase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: a picture&apos;s name ends in .png, .svg or .pdf.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the picture cannot be drawn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF page (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about %1 min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about %1 h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>infinite</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>voxel %1 = %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(%1, %2, %3) mm = %4 · voxel %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of %1 × %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of %1 × %2 voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>purple: NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>purple: not a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocated by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes in use at the chosen moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share of all memory in use then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes in use at the peak of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much more %1 has at its peak than %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>freed, waiting for a stream</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>older than the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>expandable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of fixed size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in a segment of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requested %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>age</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>segment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>free in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2 %3 · %4 in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> · largest free piece %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks that the program holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory that the allocator keeps for later; not available to other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks that were freed while a stream still used them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · peak %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> PyTorch does not record what an allocation is for: most are guessed from the code that made them and from how long they live.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What PyTorch&apos;s allocator holds of the device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes that are alive when the total is highest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes × lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each allocation&apos;s bytes times how long it lives, added up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All bytes ever allocated, whether freed or not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everything on the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>may start again with logits on the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starts again with logits on the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>logits on the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs out of GPU memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host memory: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>how</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU, logits on host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resampled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>windows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too little host memory; %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>preprocessing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 cases fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no: out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal to the bit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>equal up to rounding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+%1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script fits as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before a change was found that fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing that was tried fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One change fits: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 changes fit; the best: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Will these cases fit?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>too few steps to tell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pretended, run #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report saved: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The report was not written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit: out of memory at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit: out of memory in %1 at %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for a reason that is not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script failed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script failed in %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Does not fit: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits. %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rank %1, whose GPU holds the most: pretended peak %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of a step: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host memory: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NCCL&apos;s buffers: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What rank 0 holds beyond the others: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rank 0: </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step %1, %2 · %3 now, %4 at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnU-Net plans and trainer that need less memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From nnU-Net&apos;s own plans: what to recompute so that its training fits a GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report as %1 (%2)…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the selected runs, or of the prediction that is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The selected rows, or all if none is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All rows, as a Markdown table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All rows, for a spreadsheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of layer %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 %3 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, given by you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, measured here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · lever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compiled by torch.compile: its code holds %1 of the %2 at the peak.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks marked “checkpoint” are recomputed in the backward pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything the backward pass needs is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>√n equal segments for n layers; each keeps only its input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A given number of equal segments; each keeps only its input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parts that Make it fit chose are recomputed in the backward pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as predicted, to the byte</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over 99 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>under 1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export to PyTorch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python (*.py)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest angle, to either side, in degrees</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest change of size, as a fraction: 0.2 is 0.8 to 1.2 times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The noise&apos;s standard deviation, in the patch&apos;s normalized values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The blur&apos;s standard deviation, in voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest change of the values, as a fraction: 0.25 is 0.75 to 1.25 times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest change of the exponent: 0.3 is a power of 0.7 to 1.3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each axis is mirrored with probability p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quarter turns in a plane whose sides are equally long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled about its center. The patch is resampled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gaussian noise, drawn independently for each voxel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A Gaussian blur</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All values times one factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The values raised to a power, within their range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the experiment in the table of runs and in reports</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the network gets: patches of a scan, or random numbers of a shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scan that patches are cut from; several of one size are the channels of the input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which volume of a 4D file, counted from 0; the same for every channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The box of the scan that is one sample, in voxels: depth × height × width.
Activation memory grows with its volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How a scan&apos;s values are normalized, over the whole scan:
zscore: mean 0 and deviation 1; minmax: 0 to 1; window: a range of values to 0 to 1, clamped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scan values that become 0 and 1; values beyond are clamped. CT in HU: -160, 240</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The shape of one sample: channels, then depth, height and width (or fewer axes).
Activation memory grows with the product of its sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a label map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label maps (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file of the labels: same size as the scan, integer voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the output is compared with. input: the network&apos;s own input (for mse);
threshold: labels by intensity; labels: a file; classes: random labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label 1 at or above it, in the scan&apos;s own values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of random labels: 0 to one less than this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where patches lie. uniform: anywhere; foreground: around labeled voxels, without labels
around those brighter than Otsu&apos;s threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder of cases instead of one scan: each sample comes from one of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in its window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the cohort in its window: File, Cohort… (Ctrl+Shift+C)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of files that form the input of each case of the cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of equal parts of the top-level layers; the last one is not recomputed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs a GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1. Choose a GPU to run on or to predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input and target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss and optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Windows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss that each step reduces. mse compares values; cross_entropy and dice compare classes and
need a label target; bce and sigmoid_dice compare each channel with labels of 0 and 1; mean is
the output&apos;s own mean, for timing alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The rule that updates the weights. Optimizer state per weight, in bytes of fp32:
sgd: 0, with momentum 4; adam and adamw: 8, with amsgrad 12</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for GPUs: choose one to run on or to predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The CPU supports only the usual layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The CPU copies nothing to a device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network sees the data window by window: its memory is bounded by the window. In inference
(train: no) overlapping results are blended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs the CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>oneDNN computes on the CPU. Choose it to run on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It configures the GPU allocator; the CPU&apos;s has no options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuDNN computes on GPUs; for the CPU use the oneDNN switch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuDNN computes on GPUs; it has no algorithms to choose from on the CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TF32 is a number format of GPUs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It caps cuDNN, which computes on GPUs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use %1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run &gt; Calibrate this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same as the input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>id %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n layers</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Convolution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Activation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resolution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Regularization</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Constant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Classifier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deep supervision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, or “same”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names the output, so that a later merge can use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write a number, or one per axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most %1 numbers (depth, height, width), not %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a whole number; write e.g. 3 or 3 × 3 × 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is not %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not a number; write e.g. 0.01 or 1e-5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>adds %1 to activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>holds %1 at the peak, %2 % of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added while it runs: forward %1, backward %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time, estimate: forward %1, backward %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> or </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>safe: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What nvidia-smi shows as used:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>when it failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The GPU was %1, so its times are not comparable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host is the bottleneck: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose a GPU to predict for, or fp32: the CPU supports no other precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no profile of this GPU to predict with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F2 or the pencil: rename. Double-click: open the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Short words to find runs by. Ctrl+F2 or the pencil: add and remove them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step ms (95 %)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The median of the measured steps, with its 95 % interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your note about the run. Shift+F2 or the pencil: edit it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outcome</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why a run ended early; with a run selected, the difference to the one selected first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the run began, UTC</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n steps</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 cannot be used; %2%3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One case: %1 voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Median of %1 cases as stored: %2 voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, spacing unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1; values %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>looking at case %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reading case %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none is set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none was applied to this patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>under %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean %1 samples per voxel, at least %2 never seen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean %1 samples per voxel, %2 never seen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>head phantom (generated)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, volume %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment maps values of %1 to 0 to 1, but the scan&apos;s mean value is %2: most of what the network gets is clamped to %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment maps values of %1 to 0 to 1, but the scan&apos;s values are %2 to %3: the network gets nearly the same value everywhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, commit %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>System</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Display</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NVIDIA driver</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>St&amp;udy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the folder of your runs, which does not respond. It may be on a file server.

%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted (memory exact) for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted (estimate) for %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak %1 in the first step, in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted: %1 per step (%2 to %3), an estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 for the %2 steps of a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>may run out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>click: use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute and backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused %1 here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in the first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured − pretended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured − predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>budget %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · predicted %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>event %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused %1 in %2, holding %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 now, running for %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserved: memory that the allocator has reserved on the GPU; beyond the tensors it is rounding, split and cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>range: contains the total in 95 of 100 cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted: the estimated total; the light band should contain it in 95 of 100 cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pretended: the total of the same script on a pretended GPU, in its step with the highest peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>setup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>temporaries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data: waiting for the next patches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward: the outputs of the stack and the loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute: the forward pass again, for blocks whose activations checkpointing did not keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward: the gradients, last layer first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer: the update of the parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>input: patches, targets and the buffer of prefetched ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters: weights, biases and the norms&apos; running values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer state: what the optimizer keeps for each parameter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients: one for each parameter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations: outputs of layers that the backward pass needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace: scratch memory of the convolution and matrix libraries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>temporaries: everything short-lived inside an operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up %1–%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps %1–%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up: not counted in the results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · highest %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · mean %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the GPU waits for the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU %1 · host %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 per step (%2 to %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highest %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>label %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, for small blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, stream %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, private pool %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocated %1 before the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before the recording, unknown code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1·events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, guessed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of memory: %1 were requested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 were free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (guessed)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>phase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>begins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reserved for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 allocation too short to draw</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 allocations too short to draw</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 together; zoom in to tell them apart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1; click for its call stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>free on the device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a sweep…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a factorial…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting Python…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory, each alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time, each alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run %1 of at most %2, %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> cuDNN has not answered for every layer: it may need more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No time estimate for 1 combination.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No time estimate for %1 combinations.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment maps values of %1 to 0 to 1, as for a CT, but the scan&apos;s values are %2 to %3: the network gets only %4 to %5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Variables: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Turned about a random axis. The patch is resampled, which takes the longest of these</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::AboutDialog</name>
    <message>
        <source>About Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&lt;h3&gt;Highwater %1&lt;/h3&gt;&lt;p&gt;Memory and speed of convolutional networks on volumetric scans.&lt;/p&gt;&lt;p&gt;Free software under the GNU General Public License, version 3 or later, without any warranty.&lt;/p&gt;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions and licenses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy for a bug report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::AdviceBox</name>
    <message>
        <source>&lt;b&gt;Cliff.&lt;/b&gt; %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show the layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more, marked in the list</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::Asker</name>
    <message>
        <source>cuDNN is being asked about them</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::AugmentList</name>
    <message>
        <source>+ add augmentation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another random change of each patch</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::AugmentRow</name>
    <message>
        <source>p: its probability for a patch, 0 to 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Earlier (Alt+Up)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later (Alt+Down)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has no amount</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::AxesPanel</name>
    <message>
        <source>add…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add any field of the experiment as an axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A field, such as: conv kernel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not available: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any value, by its JSON Pointer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Such as /optimizer/lr</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CalibrateDialog</name>
    <message>
        <source>Calibrate this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The temporary memory of a convolution depends on the machine, LibTorch, the threads and the shape. It can be measured for each convolution of this stack; predictions for this CPU then use the measurements. Let nothing else compute meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>also the presets&apos; convolutions and the machine&apos;s speed (takes minutes)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli is not installed beside this program; install it to calibrate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment cannot be written to a temporary file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring convolution %1 of %2…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured %1 convolutions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped. The measurements so far are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The measurement failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CaseStepper</name>
    <message>
        <source>Case before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The case of the cohort that is shown; a run takes patches from all of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CasesDialog</name>
    <message>
        <source>Will these cases fit?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The memory that nnU-Net&apos;s inference needs for each scan of a folder, by its plans and the scans&apos; headers. Nothing is run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose plans and a folder of scans.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnUNetPlans.json, or plans.json of a trained model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnU-Net plans (*.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder of cases, such as imagesTs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, this machine&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>everything on the GPU if possible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnU-Net&apos;s perform_everything_on_device; --not_on_device switches it off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mirroring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test-time augmentation; --disable_tta switches it off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with host memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table, with its figures in words, for a spreadsheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose nnU-Net&apos;s plans first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder of scans first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the scans&apos; headers…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ChannelBar</name>
    <message>
        <source>Channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The channel of the input that is shown; the network gets all of them</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CheckpointField</name>
    <message>
        <source>by block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of equal parts of the top-level layers; the last one is not recomputed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change checkpointing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by block: none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by block: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan: none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ClaimDetails</name>
    <message>
        <source>Figures as bars</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bars end at the median; whiskers are its 95 % interval.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>noise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A difference lay within the noise.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure this claim on this machine</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ClaimsList</name>
    <message>
        <source>filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the claims in which every word occurs, e.g. “checkpoint memory” (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter of the claims</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdicts shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all verdicts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Claims</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>claim</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>statement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the claims…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No claims</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No claim matches the filter</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ClaimsPanel</name>
    <message>
        <source>Run all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Claims are being run. Cancel first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run %1 selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure the selected claims (F5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure every claim on this machine; takes minutes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ClaimsWindow</name>
    <message>
        <source>Claims</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no claims.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No claim is named %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2 of %3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 claims could not be measured: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped: %1 of %2 claims have a verdict.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CohortModel</name>
    <message>
        <source>case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The case&apos;s name, from its files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Voxels along i, j and k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spacing mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Millimeters between voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lowest and the highest value of its channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of files of its input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its label map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings, or why it cannot be used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not read yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CohortReader</name>
    <message>
        <source>reading the cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CohortTable</name>
    <message>
        <source>Cases</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CohortWindow</name>
    <message>
        <source>Cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patch and batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload the folder (Ctrl+R)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting: %1 sizes so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cohort %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled: %1 of %2 cases read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 cases read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cohort is the experiment&apos;s input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of its cases can be used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Makes it the experiment&apos;s input; can be undone (Ctrl+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cases are still being read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of its cases can be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No case has been read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use the cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch and batch of the cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patch and batch set. Ctrl+Z to undo.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CombinationsModel</name>
    <message>
        <source>The network computes something different.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CompareDialog</name>
    <message>
        <source>Compare runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>against #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines of the script, at the peak</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ConfirmedPanel</name>
    <message>
        <source>Confirmed on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted and measured</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ControlBar</name>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The device that the run computes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The device whose memory and time are predicted while you edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples per step: memory grows with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The box of the scan that is one sample: depth × height × width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number format of the computation: bits per number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which parts keep only their input and are recomputed in the backward pass:
less memory, more time, the same gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Number of measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps before the measured ones; they are not counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory limit of the run, which stops before it would exceed it. Empty: no limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for GPUs: choose one to run on or to predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the experiment and measure it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the experiment and measure it.
Predicted: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run stops at the next layer. Press again to end it at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the run at the next layer. The measurements so far are kept</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CoverageMaps</name>
    <message>
        <source>Cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::CoverageStrip</name>
    <message>
        <source>Number of steps, from the first, whose samples are counted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counted exactly: the %1 samples of these steps with batch %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::DevicePage</name>
    <message>
        <source>There is no profile of %1; the prediction is still for %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has %2: the prediction is for %3.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::DifferenceDialog</name>
    <message>
        <source>Predicted and measured by layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The largest workspace that cuDNN or cuBLAS took for the layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Residual: measured minus predicted. Double-click: select the layer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate this machine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A guess: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No prediction: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ExperimentFile</name>
    <message>
        <source>Open %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>untitled</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FactorialPanel</name>
    <message>
        <source>Choose levers, add fields with their values, and press Run: every combination is measured on the current experiment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring. The results are shown here as the runs end.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FactorialResults</name>
    <message>
        <source>Memory against time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Combinations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use this combination</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it in the editor; can be undone (Ctrl+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save all as CSV or JSON (Ctrl+E)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save a report: web page, PDF, CSV or JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the levers do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the levers do, alone and together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>geometric means over all other combinations; whiskers: 95 % intervals</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FactorialSetup</name>
    <message>
        <source>Runs of every combination; they take turns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs repeat until every time is known to 2 %, up to this number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of each run, including the warm-up, which is detected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Levers to combine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fields to combine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min. repeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. repeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps per run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. repeats (%1) is less than min. repeats (%2).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose at least one lever, or add a field.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose at most %1 levers: %2 would be %3 combinations.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 combinations are too many; at most %2 are possible.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 combinations, %2 to %3 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 combinations, %2 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run all combinations in turns (F5)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FactorialWindow</name>
    <message>
        <source>Factorial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimating the time…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose at least one lever that applies to this experiment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The factorial could not be measured: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped: showing what was measured so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use combination: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 opened. Ctrl+Z to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to save yet. Run the factorial first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: its name must end in .csv or .json</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All measurements (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the factorial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A factorial is in progress here. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring. The effects are shown when all combinations are done.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FiguresTable</name>
    <message>
        <source>Figures of the claim</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>median</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>repeats</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FitDialog</name>
    <message>
        <source>Where does it fit?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cuDNN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>per step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what it does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make it fit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans for the chosen device that take less memory for more time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save both tables with the experiment, as a web page, PDF, CSV or JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes for %1: the largest sizes that fit, and what would need less memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspaces %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some operators are unknown: it needs at least this much</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It fits %1 of %2 devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Times are estimates, and so is memory where it is not called exact. Devices are compared with all of their free memory; the budget is ignored. Double-click a device to predict for it, or a change to apply it. cuDNN is asked for %1 only; others use cached answers or estimates. cuDNN uses different kernels on each generation of GPUs, so the same experiment needs different amounts of memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the chosen GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes what the network computes. %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No setting of the experiment reduces memory on %1; a smaller batch or patch would</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::FoldSection</name>
    <message>
        <source>%1 changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A setting here prevents a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 value here differs from the default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 values here differ from the default</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::Gauge</name>
    <message>
        <source>Peak memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted and measured by layer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy with details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most memory that PyTorch&apos;s allocator reserves on the device in a step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The highest total of all tensor memory in a step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prediction follows
from rules and measured values; no part of it is an estimate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prediction is an estimate: the bar&apos;s
light end is the range that should contain the peak in 95 of 100 cases.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No prediction: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted for %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click: predicted and measured by layer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>over the budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>some operators are unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>may exceed the budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 likely to run out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At least %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 reserved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, estimate %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring the peak…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting the peak…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Peak %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: peak %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, predicted %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, GPU %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimate %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as predicted</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::GrowthDialog</name>
    <message>
        <source>How memory grows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In steps of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the range ends before it begins: make “To” at least %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than %1 sizes: use larger steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; %1 other sizes do not suit the stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, against the device&apos;s memory; the budget is ignored. Click the curve to use a size.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> cuDNN is then asked about it and may need more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::HeaderWindow</name>
    <message>
        <source>Tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group and element, hexadecimal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the DICOM dictionary; private elements have none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>VR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value representation: the type of the value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For pixel data and other binary values, only their size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slice at the crosshair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DICOM header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filter, such as: spacing, 0028, GE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter of the header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads the header of the file with the slice at the crosshair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Elements of the header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dicom-header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the header…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first %1 rows only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 of %3 rows</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::HeatLegend</name>
    <message>
        <source>The number of samples that contain a voxel. The brightest color is the largest count.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>0 to %1 samples</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::HostsDialog</name>
    <message>
        <source>Hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the one on its PATH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the host in Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any name that ssh accepts; ports, keys and jump hosts belong in the ssh configuration. A period means this machine, with the torch of the Python below</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The path of the Python on the host whose PyTorch is used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add or change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A machine with a GPU that ssh reaches without a password. Its engine is built there once; its runs then appear here like local ones.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 added. Check it to see what is installed there and to build the engine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 removed from the list. Nothing was changed on it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped. A build in progress continues there; check again to follow it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is ready: choose it in Run on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check and prepare</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::LayerOptions</name>
    <message>
        <source>Choose a layer to see its options.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, in a block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, in block %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vary this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vary this in the %1 %2 layers with the same value</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::LeftRuns</name>
    <message>
        <source>Run #%1 continues, but this window cannot follow it: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it up…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give up a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give up run #%1 on %2?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data fetched so far is kept, and the run is recorded as failed. Nothing is stopped on %1, and nothing more is fetched from it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run #%1 was not given up: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::LivePage</name>
    <message>
        <source>Run #%1 was recorded after a retry: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run could not be started: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>differs from the current experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not on %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run #%1: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was recorded so far is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An estimate: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run #%1, pretended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run #%1, watched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is already in progress. Stop it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the GPU to pretend under Predict for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scan is missing: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 Press Run again to run anyway.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program is measuring run #%1. Two runs at once slow each other down. Press Run again to run anyway.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::MainWindow</name>
    <message>
        <source>%1; batch size changed from %2 to %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset opened: %1. Ctrl+Z to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run store: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for %1, which has locked the run store. No run can be started or changed until it releases the lock; quitting that program releases it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open run #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiment of run #%1 opened. Ctrl+Z to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run #%1 continued after its window closed. This window now shows it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Modules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the modules of the run&apos;s model cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A study is in progress. Wait for it, or cancel it in its window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is in progress. Stop it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is in progress.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can continue in the background; reopen Highwater to see it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your changes are not saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This window was opened by a script and does not save its session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit without saving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Highwater was not closed properly. Your stack has been restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another window was closed with unsaved changes to “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other windows were closed with unsaved changes: “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in another window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another window could not be opened. Start Highwater again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard the unsaved changes of other windows?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your changes are not kept for the next start: %1. Save the experiment elsewhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--plan: there is no device %1 to plan for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 contains weights only, not the network. Open a file written by torch.export.save or torch.onnx.export.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How to export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiments (*.json *.pt2 *.onnx);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Imported %1. %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import nnU-Net plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnU-Net plans (*.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Experiments (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The session could not be saved either: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ModulesPanel</name>
    <message>
        <source>Modules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Modules of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The module&apos;s name in the model. Double-click: show it in the memory timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory that its forward pass kept for the backward pass, in the last traced step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of its forward pass, the median of the sampled steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of its backward pass, the median of the sampled steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trainable and other parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shape of its output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>modules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what has changed since the run that was shown before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::NnunetDialog</name>
    <message>
        <source>Import nnU-Net plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from dataset.json, otherwise 2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a head on every stage of the decoder, as nnU-Net trains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fp32, which also runs on this CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fp16, as nnU-Net trains on a GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deep supervision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 parameters, input %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::NnunetExportDialog</name>
    <message>
        <source>nnU-Net in less memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans which modules nnU-Net recomputes, and whether it computes a batch in parts, so that a training step fits. Writes a plans file and a trainer, with which nnU-Net runs as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan, the files, and the commands that train with them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose nnU-Net&apos;s plans and a folder for the files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnUNetPlans.json</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nnU-Net plans (*.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder for the plans file and the trainer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what the GPU has</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that a training step may need, such as 8GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The end of the plans&apos; and the trainer&apos;s name: letters, digits and underscores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a batch may be computed in parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches: their gradients are summed, which rounds them differently</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>within</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan and the commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose nnU-Net&apos;s plans first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder for the files first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli is not installed beside this program; install it to export for nnU-Net.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Planning for %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli could not be run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli ended with exit code %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Written. Train with these commands:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was written: nnU-Net&apos;s own trainer fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::OptionForm</name>
    <message>
        <source>One number for all axes, or one per axis: 3 × 3 × 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A number, one per axis, or “same”: the output is as large as the input.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ParetoPlot</name>
    <message>
        <source>Memory against time of every combination</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pareto front: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pareto: none beats it in both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (less is better)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time of a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic axes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PatchBar</name>
    <message>
        <source>What the network gets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The scan as read from its file (Ctrl+1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the network gets: samples as the engine sends them, normalized and augmented (Ctrl+2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the samples of a run cover each position of the scan (Ctrl+3)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PatchPage</name>
    <message>
        <source>The input is synthetic noise: there is no scan to show patches or coverage of. Open a scan first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch of step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Random labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taken at case %1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Taken at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>letters refer to the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine makes %1 patches: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New patches follow when you stop editing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From before the last edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Current experiment · sample %1 of a run, in step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Channel %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Augmentation: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run · no patch received yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run has sent a patch yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run · sample %1, in step %2 · %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>frozen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>live</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run has ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First channel, as the network received it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counting the positions of %1 samples</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PatchSet</name>
    <message>
        <source>Cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine sent no channel of this patch.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PatchStepper</name>
    <message>
        <source>The previous patch (Left, or ,)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next patch (Right, or .)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>16 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask the engine for the next samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The channel shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the loss compares the network&apos;s output with, as an overlay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the scan, with the patch box where this patch was taken.
The experiment does not change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Live</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the patches that the run sends to its network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep showing this patch; the run continues</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanCurvePlot</name>
    <message>
        <source>Memory against time of every plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak, %1 %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanDialog</name>
    <message>
        <source>Make it fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory limit for plans. Leave empty to use all memory that the device leaves to a run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of a batch one after the other (gradient accumulation), if no layer uses statistics of the batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Channels last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a GPU: the channels_last memory format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>InPlace-ABN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch norm and leaky activation become one layer, which keeps one tensor instead of two.
Results differ by rounding.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>16 bits (autocast)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a GPU: convolutions and matrix products in bf16, or fp16 before Ampere.
Results differ by rounding.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Offloading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a GPU: what layers keep for the backward pass is moved to host memory.
The time of the transfers is an estimate from the link&apos;s datasheet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>May use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recomputation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 + %2 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory limit for plans: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make it fit: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for a smaller batch, a smaller patch and other networks that fit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The experiment has changed: looking for plans again…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plans: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Budget: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for plans for %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm runs the current experiment and the chosen plan in turns and compares the measurements with the predictions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No smaller batch, smaller patch or other network fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be run here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A study is in progress. Wait for it, or cancel it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped before both were measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan could not be confirmed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all memory</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanLayers</name>
    <message>
        <source>What the plan does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What stays in memory for the backward pass. Hatched: what is recomputed instead, or kept in host memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recompute 10 of 12</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanSlider</name>
    <message>
        <source>Memory against time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag, or press ← and →: left takes less memory, right less time</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanStepPlot</name>
    <message>
        <source>The step, before and after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The current experiment.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PlanView</name>
    <message>
        <source>Confirm: run both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory against time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the plan, the curve and the step as a web page, PDF, CSV or JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drag, or ← →</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no other plan takes less memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 plans · same training results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>least memory: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fastest: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is in the editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply this plan to the experiment; Ctrl+Z to undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no plan to run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is the current experiment: there is nothing to compare.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the current experiment and this plan in turns on this machine and compare the measurements</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PredictionPage</name>
    <message>
        <source>the stack is not valid yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The prediction is %1, and this machine has %2 available: without a budget, the run can bring the machine to a halt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 convolution passes of this stack have not been measured on this machine: the prediction is an estimate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calibrate…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other programs use %1 of the device.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no prediction to report: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use %1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted for %1, measured in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted for %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Run to measure it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs on the %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The colors of all windows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The device whose memory and time are predicted when the program starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU memory that other programs hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Such as 1.2 GiB: a desktop, a browser, other runs. nvidia-smi shows it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUDA contexts known on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: the value in each GPU&apos;s profile is used. A run on a GPU measures it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the CUDA context of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scripts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the active environment, .venv beside the script, or python3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An interpreter, or the folder of a virtual environment. Its PyTorch must be built with CUDA.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder of runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder of runs; --store DIR chooses another when the program starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ProposalBox</name>
    <message>
        <source>Propose patch and batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply patch and batch to the experiment (can be undone)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the cohort&apos;s median shape and the predicted memory on %1; an estimate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For %1, an estimate:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What fits on %1, from the cohort&apos;s median shape and the predicted memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch %1, batch %2
predicted peak %3
%4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::PytorchDialog</name>
    <message>
        <source>Import a PyTorch network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the Python that has your network and Highwater&apos;s package, one command writes it as an experiment. my_module:build is the module or a function that returns it; --input is the shape of a batch: samples, channels, sizes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With PyTorch alone (2.5 or newer), torch.export also works:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An .onnx file also works if it was exported in training mode:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Then open that file here. Nothing in it is executed, and no weights are read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>torch.compile changes what a training keeps in memory; an experiment is eager. To see both peaks, run the training script on a pretended GPU and choose “Try torch.compile, too”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your script…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open net.json, net.pt2 or net.onnx…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import notes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunController</name>
    <message>
        <source>connecting to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it was stopped before it began</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunRefusal</name>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the setting or layer in question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot run: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No prediction: %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunsCells</name>
    <message>
        <source>words, such as: paper baseline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note about the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the experiment&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name of the run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunsPage</name>
    <message>
        <source>against #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run was not changed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select 2 to %1 runs to compare them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete run #%1 and everything measured in it?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete these %1 runs and everything measured in them?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunsTable</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filter, such as: unet peak&lt;8GiB tag=paper</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter of the runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the runs that contain every word in name, note, tags, study, device, status or reason.
Compare with &lt; &lt;= &gt; &gt;= = !=, such as peak&lt;8GiB, step&gt;=200ms, batch=2, loss&lt;0.1, device=cuda, host=lab,
status=done, tag=paper, patch=96, created&gt;=2026-11-23, name=&quot;two words&quot;. #12 is run 12.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare the selected runs with the one that was selected first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a report of the selected runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory timeline…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit the tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give up…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New tag…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New tag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A short word, for all selected runs:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::RunsView</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run matches the filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No runs yet: press Run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScanLabels</name>
    <message>
        <source>According to its header, the label map lies outside the scan: none of it is visible.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>According to its header, the label map does not overlap the scan exactly: it is shown at its own position, but a run matches it voxel by voxel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The label map has a different grid than the scan: it is shown at its position in millimeters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · names of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a label map over the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label maps (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names of the labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label tables (*.txt *.label *.ctbl *.lut dataset.json);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScanListing</name>
    <message>
        <source>Reading %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScanLoader</name>
    <message>
        <source>Opening</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScanOpener</name>
    <message>
        <source>Open scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scans (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm *.ima *.NII *.DCM *.IMA);;NIfTI, Analyze (*.nii *.nii.gz *.hdr *.img);;DICOM (*.dcm *.ima *.DCM *.IMA);;NRRD (*.nrrd *.nhdr);;MetaImage (*.mha *.mhd);;FreeSurfer (*.mgh *.mgz);;All files, also without an extension (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a folder of DICOM files, or of cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and %2 more: drop one folder, or only files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Are these the channels of one case? Then open them as channels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scans in %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScanPage</name>
    <message>
        <source>slice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open scans as channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>back to the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the cohort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (not in the experiment)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>labels: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The patch of %1 is larger than the scan of %2 voxels: the rest is filled with the scan&apos;s lowest value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use z-score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>normalize by z-score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No scan is open; open one first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The open scan is %1; only DICOM files have such a header.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose volume %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all volumes as channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only this volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is one slice. Its folder holds %2 files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScriptDialog</name>
    <message>
        <source>Your script on a pretended GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script runs unchanged, with its own PyTorch, on a pretended GPU: memory is allocated as on a real one, but nothing is computed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has been run yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output of the script</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script&apos;s memory appears here while it runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every allocation of the run, with the lines that made them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If the script does not fit, run it with changes that reduce its memory: recomputation, smaller parts of the batch, 16 bits and others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli is not installed beside this program; install it to run scripts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes are tried with one process: set GPUs (ranks) to 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying what would help on a pretended %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running on %1 pretended GPUs, each a %2…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running on a pretended %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script&apos;s memory appears here once it uses the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Highwater: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By rank</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>highwater-cli could not be run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script ended with exit code %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The script used no memory of the GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recorded as run #%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running the script…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScriptForm</name>
    <message>
        <source>Script</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>train.py</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as on the command line: --batch 8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the script&apos;s own folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the active environment, .venv beside the script, or python3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An interpreter, or the folder of a virtual environment. Its PyTorch must be built with CUDA.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processes of the script, each on a GPU of its own, as torchrun --nproc-per-node starts them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer steps after which the script is stopped; all: run it to its end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimate the time of a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try torch.compile, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help? then tries every change, compiling included, even if the script fits: it takes minutes. The list shows each peak, the line above that of the script as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPUs (ranks)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the operators of one more step, for this GPU. Without loading of data and transfers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Possible with one GPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Possible with a number of steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Variables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the environment: nnUNet_compile=f</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment variables that are set for the script, each NAME=value. A value with spaces needs quotes: NAME=&quot;a b&quot;</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScriptPlot</name>
    <message>
        <source>Memory of the script</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in the step with the peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory when it ran out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 · %3 now, %4 at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocations, in their order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most so far: the peak in whole blocks, also between two samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other: activations, gradients and temporaries, which are told apart at the end</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ScriptTries</name>
    <message>
        <source>change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on the device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recomputation in convolutions and linear layers, as a share of a step&apos;s work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A change is applied by a small Python file that runs the script, which stays as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the file&apos;s text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Python (*.py)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SeriesDialog</name>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As a cohort of %1 cases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each scan is one case: shows all of them in a table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The selected ones are the channels of one case, in the list&apos;s order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 selected, on one grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one to open; several can be channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl or Shift selects several, as channels</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SeriesList</name>
    <message>
        <source>Scans that can be opened</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SeriesModel</name>
    <message>
        <source>The middle slice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>description</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The description in the files, or the file&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>modality</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CT, MR, ...</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of the series</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Voxels: columns, rows, slices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spacing mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Millimeters between voxels, from the slices&apos; positions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number of its files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings, or why it cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>(no description)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 volumes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::Session</name>
    <message>
        <source>The unsaved changes of a window could not be read: %1. They are kept in %2.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SettingsPage</name>
    <message>
        <source>Stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The layers and the options of the selected one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All other settings of the experiment: input, loss, optimizer, step, data, windows, libraries (Ctrl+Shift+E). The number is how many differ from the default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings · %1 changed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SettingsPanel</name>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all at their defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No setting has “%1” in its name or its meaning.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vary this</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SnapshotBar</name>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices in the snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in use, event by event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Segments and blocks when the snapshot was taken: fragmentation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SnapshotDialog</name>
    <message>
        <source>Calibrate from %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recorded on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the snapshot in a separate window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep as measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading was cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the GPU on which the snapshot was recorded, and its versions of LibTorch and cuDNN.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The comparison was cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 can be kept as measured on the %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 kept: predictions for the %2 use them.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StackEditor</name>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate the layers after themselves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group into block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put the selected layers into a block, which can be checkpointed as one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ungroup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace the block by its layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep only the block&apos;s input and recompute its layers in the backward pass: less memory, more time, the same gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the layers as JSON text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the layers as JSON text and remove them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Insert layers from JSON text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cannot paste: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>+ add layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a layer after the current one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>group into block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>presets ▾</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start from a known network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Structure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · not valid yet</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StackModel</name>
    <message>
        <source>layer %1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>works in place: adds no output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>adds %1 of output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cliff:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers in order of execution, numbered as in error messages. Drag to reorder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Options that differ from the defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shape</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Channels × spatial sizes of the layer&apos;s output, for one sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>params</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learned values; for a block, the sum over its layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted: what the layer&apos;s forward adds to activations, for the whole batch; 0 where it works in
place. In a checkpointed block it is freed again before the next block. The bar is what it holds at the step&apos;s peak, against the
layer that holds the most.
Where nothing can be predicted: the bytes of output that it adds.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StackTreeView</name>
    <message>
        <source>Layers of the stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No layers yet: add one, or start from a preset.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::Store</name>
    <message>
        <source>Reading the runs in %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the run store: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for %1, which has locked the run store:
%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The runs could not be read: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StudyStrip</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping: the run ends at its next layer…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop at the next layer; completed runs are kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>about %1 left</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StudyWindow</name>
    <message>
        <source>Another study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measurements are still in progress here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completed runs are kept either way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue in the background</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StudyWindows</name>
    <message>
        <source>Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A study is still in progress.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quitting stops it. Completed runs and verdicts are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop and quit</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::StudyWorker</name>
    <message>
        <source>connecting to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepAxes</name>
    <message>
        <source>Add parameters to vary: every combination of their values is a cell.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON Pointer of axis %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the axis %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove this axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>values, such as 1, 2, 4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off, on</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepChart</name>
    <message>
        <source>%1 (less is better)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (more is better)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepHeatMap</name>
    <message>
        <source>Two axes of the sweep as a grid, colored by a figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no cells.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A heat map needs two axes, and this sweep has one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose two different axes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The filter shows no cell.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, best of each tile</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepModel</name>
    <message>
        <source>%1 of %2 measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>best %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimated: predicted, not measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured: %1 to %2 (95 %), %3 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepPanel</name>
    <message>
        <source>Add axes to make a sweep of the current experiment, or open a sweep, the result of one, or a study of the store.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepParallel</name>
    <message>
        <source>Parallel coordinates of the sweep&apos;s cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no cells.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepScatter</name>
    <message>
        <source>Two columns of the sweep&apos;s cells as points</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no cells.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No cell that is shown has both %1 and %2.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepSetup</name>
    <message>
        <source>Axes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>save…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the sweep as a file, also for highwater-cli sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a sweep or the result of one (.json, Ctrl+O)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from the store…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show a sweep, a factorial or a claim from the runs table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a sweep of the current experiment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every combination</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>factorial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every combination of the values; the n-th values of all axes together; or every combination, with the effects of the values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs of every cell, at least. From 2 on, runs repeat until every time is known to 2 %, up to three times as many</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of each run, including the warm-up, which is detected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps per run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no studies in the store</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are results. Make a new sweep or open one to run it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run all cells in turns (F5)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepTable</name>
    <message>
        <source>Cells of the sweep</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepViews</name>
    <message>
        <source>View of the cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parallel coordinates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Along the chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Upright</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axis along the chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Upright axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Color the tiles by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>x</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>y</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>color</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A heading above the cells of each value, with the best of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group the cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the last run of the chosen cell (Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide failures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide cells that ran out of memory, failed or cannot be run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide cells whose figures are all estimated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the values of the axes that are shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear all filters and brushes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save a report: web page, PDF, CSV or JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the cells as CSV or JSON, or the view as PNG, SVG or PDF (Ctrl+E)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not grouped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::SweepWindow</name>
    <message>
        <source>Sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (as run)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Base: %1 (current experiment)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add at least one axis.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing the cells…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No cell can be run: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, 1 of them cannot be run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 of them cannot be run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimating: %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no view &quot;%1&quot;: parallel, scatter or heat_map.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another study is running. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sweep could not be measured: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped: showing what was measured so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cell has not been run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its run is not in this window&apos;s run store.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A sweep is in progress here. Cancel it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run of that study has completed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to save yet. Make a sweep or open one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run store does not contain the sweep that these runs came from; save them as .csv.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: its name must end in .csv or .json for the cells, .png, .svg or .pdf for the view.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweeps and their results (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table of the cells (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All measurements (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture of the view (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drawing of the view (*.svg)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page of the view (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the sweep itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved %1. highwater-cli sweep runs it without a window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 measured; ≈ is estimated for %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Estimates are for %1. Run measures on %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the device of the measured cells</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::TargetField</name>
    <message>
        <source>this CPU</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>versions ▾</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both affect how memory is allocated and where it jumps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Others hold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU memory that other programs use, such as 1.2 GiB: a desktop, a browser, other runs.
nvidia-smi shows it. A run can use the rest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUDA context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of this GPU&apos;s CUDA context, such as 520 MiB: what nvidia-smi shows for a process, less what PyTorch reserves.
It is kept for this GPU; clear it to use the default again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>with LibTorch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (with that LibTorch)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LibTorch %1, cuDNN %2: the versions of the prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other programs use %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also: memory that other programs use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The device whose memory and time are predicted while you edit; this machine does not need to have it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::TaskChangesPanel</name>
    <message>
        <source>Not enough?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show options that change the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks for the largest batch and the largest patch that have a plan within the budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply this to the experiment; Ctrl+Z to undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::ToggleList</name>
    <message>
        <source>changes the task</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::TraceRangeDialog</name>
    <message>
        <source>A large capture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has %2 events, %3 at its peak. Load a part of it, or all?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;events from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>count</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events; showing them takes about %2 of memory.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::TraceWindow</name>
    <message>
        <source>Memory of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all	Home</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom to the peak	P</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where memory ran out	O</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom to the selection	S</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find…	Ctrl+F</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes × lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In use, by code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A memory snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ended while writing its trace: this is what was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ended before it allocated anything.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose which of them to load.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events, %2 at the peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was not loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it anyway</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading %1 to compare with…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with a memory snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PyTorch memory snapshot, for memory_viz (*.pickle);;Chrome trace, for Perfetto (*.json);;Table (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: the name must end in .pickle, .json or .csv</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving %1…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved: cancelled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The snapshot contains no device memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No allocation history was recorded, only the state at the end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing the segments %1…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::TraceWindows</name>
    <message>
        <source>run %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open memory snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PyTorch memory snapshots (*.pickle *.pkl);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::VolumeBar</name>
    <message>
        <source>Volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which volume of this 4D file is read; the experiment keeps the choice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all as channels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This volume alone becomes the input; can be undone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each of the %1 volumes becomes a channel of the input; can be undone</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::WarningLine</name>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation type="unfinished">
            <numerusform></numerusform>
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>%1 warnings: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and %1 more; highwater-cli volume info --json lists all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the warnings on one line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every warning in full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings about this scan</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::desktop::WorkLine</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::DeviceStrip</name>
    <message>
        <source>Contents of the GPU&apos;s memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parts sum to what nvidia-smi shows as used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 used %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An estimate: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use batch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply this batch size to the current experiment</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::DocsWindow</name>
    <message>
        <source>Manual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search all pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search all pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No page has “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::FieldCell</name>
    <message>
        <source>Back to the default: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the default of %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::FlameView</name>
    <message>
        <source>Bytes × lifetime by layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is allocated here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes × lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the whole</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::FramesModel</name>
    <message>
        <source>function</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file and line</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::FullScreen</name>
    <message>
        <source>Scan</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::GroupsModel</name>
    <message>
        <source>&lt; 0.1 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::GroupsPage</name>
    <message>
        <source>In use, by code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file and line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>function</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>module</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grouping. Each allocation counts for the innermost frame of its call stack that is not PyTorch&apos;s own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A click in the timeline chooses a moment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::GrowthPlot</name>
    <message>
        <source>Predicted peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click: use that value. Wheel: zoom. Drag: zoom into a range. Double-click: show all. Right click: picture, data, logarithmic axes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic axes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted peak by %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an estimate for %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::LabelList</name>
    <message>
        <source>Labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in 3D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide every label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>names…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file with the labels&apos; names and colors: a label description of ITK-SNAP, a lookup table of FreeSurfer, or nnU-Net&apos;s dataset.json</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the label map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the labels over the slices and in 3D (L)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the labels&apos; surfaces in the 3D view, and the scan around them as a haze</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opacity of the labels over the slices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opacity of the labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Voxels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Volume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double click: the crosshair goes into the label</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, label %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::LargestModel</name>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>category</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>begins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes × lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::LayersModel</name>
    <message>
        <source>no layer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::LivePlots</name>
    <message>
        <source>Memory and time of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Run to see how memory is used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be predicted or run: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show the prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in the last step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Peak over steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time by phase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wheel: zoom. Drag: zoom into a range. Shift and drag: move. Double-click: show all. Right click: picture, data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory by category over the step. Click: select the layer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The peak of each step, by category.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the time of each step went. Faded: warm-up, not counted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the time of each step went</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss of each step, and of the selected runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for %1; runs on the %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in a step, predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory when the run ran out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in the running step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is allocated in a step of this stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine is starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run recorded no memory timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>current experiment: %1 predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Run to measure the peak of every step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs on the %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>press Run to measure it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Run to measure the time of every step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first step is running…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step was completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each bar is %1 steps (the highest)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each bar is %1 steps (their mean)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>current experiment: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press Run to measure the loss of every step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::LossPlot</name>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The loss of every step; with several runs selected, the losses of all of them.
Wheel: zoom. Drag: zoom into a range. Shift and drag: move. Double-click: show all. Right click: picture, data, logarithmic axis.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::NoticeBar</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::OverviewStrip</name>
    <message>
        <source>All of the trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole trace: drag to move the view</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::PathField</name>
    <message>
        <source>a path</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::PathList</name>
    <message>
        <source>+ add channel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another scan of the same size as one more channel of the input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scans (*.nii *.nii.gz *.hdr *.img *.nrrd *.nhdr *.mha *.mhd *.mgh *.mgz *.dcm);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove this channel</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::ScanKeyList</name>
    <message>
        <source>Left click or drag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the crosshair in all views</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrow keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the crosshair by a voxel; with Shift by ten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>X</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show or hide the crosshair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wheel, Page Up and Page Down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next and previous slice; with Shift ten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift and left drag up or down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scroll through the slices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first and last slice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Right drag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change the window: sideways its width, up and down its level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>W</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the left button changes the window too, until W again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invert: low values white</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>smooth magnified slices, or show voxels as they are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl and wheel, + and −</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>zoom at the mouse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Middle drag, Space and left drag, Ctrl and arrow keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double click, 1 to 4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one view alone, or all four again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>enter or leave full screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>R</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reset zoom, position and window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag the patch box by its edge or its tab, or with Alt inside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the patch box</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Alt and arrow keys, Alt and Page Up or Down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the patch box by a voxel; with Shift by ten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>C</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>crop: drag its edges and corners; C or Esc hides the handles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift and arrow keys, while cropping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the crop&apos;s right or lower edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl, Shift and arrow keys, while cropping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the crop&apos;s left or upper edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift and C</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show the whole volume again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show or hide the labels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>M</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measure: drag, or click at both ends; drag an end to move it; M or Esc ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter, while measuring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one end of a distance at the crosshair, then the other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>remove the distance chosen or made last on this slice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the next view or button</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Esc</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>back: from measuring, from the crop&apos;s handles, from one view, from the whole screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mouse and keys in the views</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::ScanMessage</name>
    <message>
        <source>Open a scan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop a scan here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a file (NIfTI, DICOM, NRRD, MetaImage, Analyze) or a folder of DICOM slices; or open the sample: a CT-like head made by Highwater</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This scan cannot be shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::ScanPanel</name>
    <message>
        <source> · spacing unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scan</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::ScanStatus</name>
    <message>
        <source>Window width (W) and level (L): the values shown from black to white.
Click to type them, or drag in a slice with the right button: sideways the width, up and down the level.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Windows for common kinds of scans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What mouse and keys do here (?)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the whole volume again (Shift and C)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The left button changes the window too (W)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invert: low values white (I)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crosshair (X)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crop what the views show; what the network gets does not change (C)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure a distance: drag, or click at both ends; by keys Enter at each end (M)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list of labels: names, colors, sizes; L shows or hides them all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>custom</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>crop %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::SearchCombo</name>
    <message>
        <source>type to search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing in this list contains “%1”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::SegmentMapView</name>
    <message>
        <source>%1 % used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Segments and blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrows go from block to block, plus and minus zoom, Home shows all.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::SegmentsPanel</name>
    <message>
        <source>segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a block to see the code that allocated it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in use in %2 allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When: the segments are computed from what was recorded afterwards</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>largest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most free first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order of the segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one scale for all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each at full width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether the width of a segment shows its size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Width of the segments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all of it (Home)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use %1; the file has no call stacks to tell by whom</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::SliceView</name>
    <message>
        <source>%1 slices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrow keys move the crosshair, Page Up and Page Down change the slice, plus and minus zoom; ? lists all keys.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch padded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patch larger than the scan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tilted %1°</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::StackPane</name>
    <message>
        <source>copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the whole call stack as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Call stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click an allocation to see the code that made it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no call stack was recorded</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::TimelinePair</name>
    <message>
        <source>Memory timeline of the compared trace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory-timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::TimelinePanel</name>
    <message>
        <source>Preparing %1 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The timeline was not prepared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This trace cannot be shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers, against %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>selected: %1 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 times out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>find: layer, operator or &gt; 100 MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the layer, the operator or the category, and sizes after &gt;, &gt;=, &lt;, &lt;= or =,
such as “enc2 conv &gt; 100 MiB”. F3 and Shift+F3: next and previous.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The previous one (Shift+F3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next (F3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the axis measures. By event, each allocation and each free has the same width.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom to where the total is highest (P)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all of it (Home)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes-lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes × lifetime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In use, by code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the peak of the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at both peaks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>where you clicked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in use at the peaks: %1 and %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in use, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By code, against %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocated before the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>allocated at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 in use in %2 allocations; most of it from this call stack</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Out of memory: %1 requested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 were free on the device · %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::TimelineView</name>
    <message>
        <source>Memory timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrows move, plus and minus zoom, Ctrl and arrows walk through events and allocations, Return selects.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>click: its allocations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>budget %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of memory: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>phase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::VolumeView</name>
    <message>
        <source>3D view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>3D view needs OpenGL 3.2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every voxel has the same value: there is nothing to see in 3D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no voxel has a finite value: there is nothing to see in 3D</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>preparing 3D…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag: turn · Shift and drag: move · wheel: zoom · right drag: window · Ctrl and drag: opacity
Click: puts the cursor on the surface there · double click: this view alone
Keys: arrows turn, with Shift move · + − zoom · O and Shift+O opacity · Enter: cursor in the middle · R: reset
Ctrl+1 to 6: from anterior, posterior, left, right, superior, inferior</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drawn at 1/%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drag: turn · wheel: zoom</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::WindowEditor</name>
    <message>
        <source>Window width (W)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Level (L)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter applies them; use a decimal point.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a number above 0, such as 400 or 0.5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a number, such as 40 or -600</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>highwater::widgets::WindowMenu</name>
    <message>
        <source>Windows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inverted: low values white (I)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
