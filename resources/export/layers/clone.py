class Clone(nn.Module):
    def forward(self, x):
        return x.clone(memory_format=torch.contiguous_format)
