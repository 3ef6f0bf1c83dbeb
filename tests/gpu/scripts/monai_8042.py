"""MONAI issue 8042: SwinUNETR of feature size 24 on four channels of 128 cubed, which ran out of memory on an RTX 4070."""
import torch
from monai.losses import DiceLoss
from monai.networks.nets import SwinUNETR

model = SwinUNETR(in_channels=4, out_channels=3, feature_size=24).cuda()
optimizer = torch.optim.AdamW(model.parameters(), 1e-4, weight_decay=1e-5)
loss = DiceLoss(sigmoid=True)
image, label = torch.zeros(1, 4, 128, 128, 128), torch.zeros(1, 3, 128, 128, 128)
for step in range(3):
    optimizer.zero_grad()
    loss(model(image.cuda()), label.cuda()).backward()
    optimizer.step()
    print(step, torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved(), flush=True)
