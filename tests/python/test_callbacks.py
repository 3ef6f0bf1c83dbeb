"""Where people train: nnU-Net, Lightning, ignite and MONAI, Hugging Face, notebooks; with the real packages."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import highwatermark
from watching import events, only_run, python, shown


def expect_a_training(store: Path, steps: int, name: str, layers: int) -> dict:
    run = shown(store)
    assert (run["status"], run["name"], len(run["result"]["losses"])) == ("done", name, steps)
    assert all(loss is not None for loss in run["result"]["losses"])
    assert len(run["result"]["layers"]) == layers and sum(layer["parameters"] for layer in run["result"]["layers"]) > 0
    assert run["result"]["phases_ms"]["forward"] > 0 and run["result"]["phases_ms"]["backward"] > 0
    return run


def test_lightning(tmp_path):
    lightning = pytest.importorskip("lightning.pytorch", reason="lightning is not installed")
    from highwatermark.lightning import WatchCallback

    class Segmentation(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 2, 1))

        def training_step(self, batch, index):
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def validation_step(self, batch, index):
            self.net(batch[0])

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), 1e-3)

    data = DataLoader(TensorDataset(torch.randn(12, 1, 16, 16), torch.randint(0, 2, (12, 16, 16))), 2)
    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                enable_model_summary=False, callbacks=[WatchCallback(store=tmp_path / "store")])
    trainer.fit(Segmentation(), data, data)
    expect_a_training(tmp_path / "store", 12, "Segmentation", 3)
    assert [step["index"] for step in events(only_run(tmp_path / "store"), "step") if "validation" in step] == [6]


def test_lightning_without_a_line_changed(tmp_path):
    pytest.importorskip("lightning.pytorch", reason="lightning is not installed")
    script = tmp_path / "train.py"
    script.write_text("""
import lightning.pytorch as pl, torch
from torch import nn
class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 2)
    def training_step(self, batch, index):
        return self.net(batch[0]).square().mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(20, 8)), 2)
pl.Trainer(max_steps=8, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False).fit(Net(), data)
""")
    done = python("-m", "highwatermark", "run", "--store", tmp_path / "store", script)
    assert done.returncode == 0, done.stderr
    expect_a_training(tmp_path / "store", 8, "train.py", 1)


def test_ignite(tmp_path):
    engines = pytest.importorskip("ignite.engine", reason="ignite is not installed")
    from highwatermark.ignite import WatchHandler
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    trainer = engines.create_supervised_trainer(model, optimizer, nn.functional.cross_entropy)
    WatchHandler(model, optimizer, name="ignite", store=tmp_path / "store").attach(trainer)
    trainer.run(DataLoader(TensorDataset(torch.randn(12, 8), torch.randint(0, 2, (12,))), 2), max_epochs=2)
    expect_a_training(tmp_path / "store", 12, "ignite", 3)


def test_monai(tmp_path):
    pytest.importorskip("ignite", reason="ignite is not installed")
    monai = pytest.importorskip("monai", reason="monai is not installed")
    from monai.engines import SupervisedTrainer
    from highwatermark.ignite import WatchHandler
    network = monai.networks.nets.UNet(2, 1, 2, (4, 8), (2,))
    data = [{"image": torch.randn(1, 16, 16), "label": torch.randint(0, 2, (1, 16, 16)).float()} for _ in range(6)]
    trainer = SupervisedTrainer(device=torch.device("cpu"), max_epochs=2, train_data_loader=DataLoader(data, 2), network=network,
                                optimizer=torch.optim.Adam(network.parameters()),
                                loss_function=monai.losses.DiceLoss(to_onehot_y=True, softmax=True),
                                train_handlers=[WatchHandler(name="monai", store=tmp_path / "store")])
    trainer.run()
    run = expect_a_training(tmp_path / "store", 6, "monai", len([m for m in network.modules() if not list(m.children())]))
    assert run["result"]["peak_by_category"]["optimizer_state"] > 0


def test_transformers(tmp_path):
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("accelerate", reason="accelerate is not installed")
    from highwatermark.transformers import WatchCallback
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=64, n_positions=16))
    data = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(8)]
    options = transformers.TrainingArguments(str(tmp_path / "out"), max_steps=6, per_device_train_batch_size=2, report_to=[], use_cpu=True,
                                             save_strategy="no", logging_strategy="no", disable_tqdm=True)
    trainer = transformers.Trainer(model, options, train_dataset=data, callbacks=[WatchCallback(store=tmp_path / "store")])
    trainer.train()
    leaves = len([m for m in model.modules() if not list(m.children())])
    expect_a_training(tmp_path / "store", 6, "GPT2LMHeadModel", leaves)


def test_nnunet_finds_its_trainer(tmp_path):
    pytest.importorskip("nnunetv2", reason="nnunetv2 is not installed")
    folder = python("-m", "highwatermark.nnunet").stdout.strip()
    done = python("-c", "from nnunetv2.utilities.find_objects import recursive_find_trainer_class_by_name as find\n"
                  "print([each.__name__ for each in find('nnUNetTrainerWatched').__mro__[:3]])",
                  nnUNet_extTrainer=folder, nnUNet_raw=str(tmp_path), nnUNet_preprocessed=str(tmp_path), nnUNet_results=str(tmp_path))
    assert done.stdout.splitlines()[-1] == "['nnUNetTrainerWatched', 'Watched', 'nnUNetTrainer']", done.stderr


def test_nnunet_trains_watched(tmp_path):
    pytest.importorskip("nnunetv2", reason="nnunetv2 is not installed")
    data = os.environ.get("HIGHWATER_NNUNET")
    if not data:
        pytest.skip("HIGHWATER_NNUNET names no folder with raw, pre and res, as tests/gpu/scripts makes them")
    script = tmp_path / "train.py"
    script.write_text("""
import torch
from nnunetv2.run.run_training import get_trainer_from_args
trainer = get_trainer_from_args("1", "3d_fullres", 0, "nnUNetTrainerWatched", "nnUNetPlans", device=torch.device("cpu"))
trainer.num_epochs, trainer.num_iterations_per_epoch, trainer.num_val_iterations_per_epoch = 1, 2, 1
trainer.configuration_manager.configuration["patch_size"] = [64, 64, 64]
trainer.run_training()
""")
    folder = python("-m", "highwatermark.nnunet").stdout.strip()
    done = python(script, nnUNet_extTrainer=folder, nnUNet_raw=f"{data}/raw", nnUNet_preprocessed=f"{data}/pre",
                  nnUNet_results=str(tmp_path / "res"), nnUNet_n_proc_DA="0", nnUNet_compile="f", XDG_DATA_HOME=str(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
    run = shown(tmp_path / "home/highwater")
    assert run["status"] == "done" and run["name"].endswith("3d_fullres, fold 0") and len(run["result"]["losses"]) == 2


def test_a_notebook_draws_it(tmp_path):
    model = nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watch = highwatermark.watch(model, optimizer, store=tmp_path / "store")
    for _ in range(5):
        model(torch.zeros(4, 64)).sum().backward()
        optimizer.step()
    watch.close()
    drawn = watch._repr_html_()
    picture = ElementTree.fromstring(drawn[drawn.index("<svg"):drawn.index("</svg>") + 6])
    shapes = [each for each in picture.iter() if each.tag.endswith("polygon")]
    assert {shape[0].text for shape in shapes} >= {"parameters", "activations"}
    table = ElementTree.fromstring(drawn[drawn.index("<table"):drawn.index("</table>") + 8].replace("&#9632;", ""))
    rows = {row[0].text or row[0][0].tail.strip(): [cell.text for cell in row[1:]] for row in list(table)[1:]}
    assert rows["parameters"] == ["16.2 KiB", "16.2 KiB"]
    ipython = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    assert ipython.HTMLFormatter()(watch) == drawn
