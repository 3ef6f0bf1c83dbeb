"""timm_train.py MODEL BATCH [compile] [benchmark]: three steps of a timm model with SGD."""
import sys

import timm
import torch

name, batch, compiled = sys.argv[1], int(sys.argv[2]), "compile" in sys.argv[3:]
torch.backends.cudnn.benchmark = "benchmark" in sys.argv[3:]
model = timm.create_model(name, num_classes=1000).cuda().train()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
forward = torch.compile(model) if compiled else model
x = torch.randn(batch, 3, 224, 224, device="cuda")
y = torch.zeros(batch, dtype=torch.long, device="cuda")
for step in range(3):
    torch.cuda.reset_peak_memory_stats()
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(forward(x), y).backward()
    optimizer.step()
    print(step, torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), flush=True)
