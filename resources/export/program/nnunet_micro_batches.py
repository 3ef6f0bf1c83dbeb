    def _build_loss(self):
        if self.configuration_manager.batch_dice or self.label_manager.has_ignore_label:
            raise RuntimeError(
                "a batch cannot be computed in parts here: its loss is not the mean of its samples' "
                "losses (batch_dice, or an ignore label)"
            )
        return super()._build_loss()

    @staticmethod
    def parts(batch):
        """Each part of the batch, and its share of the samples."""
        data, target = batch["data"], batch["target"]
        scales = list(target) if isinstance(target, (list, tuple)) else [target]
        for part in zip(*(each.chunk(MICRO_BATCHES) for each in [data, *scales])):
            targets = list(part[1:]) if isinstance(target, (list, tuple)) else part[1]
            yield {**batch, "data": part[0], "target": targets}, len(part[0]) / len(data)

    def to_device(self, tensors):
        if isinstance(tensors, list):
            return [each.to(self.device, non_blocking=True) for each in tensors]
        return tensors.to(self.device, non_blocking=True)

    def train_step(self, batch):
        """nnUNetTrainer's, with one backward pass for each part before the update."""
        total = 0
        self.optimizer.zero_grad(set_to_none=True)
        for part, share in self.parts(batch):
            data, target = self.to_device(part["data"]), self.to_device(part["target"])
            cuda = self.device.type == "cuda"
            with torch.autocast(self.device.type) if cuda else contextlib.nullcontext():
                output = self.network(data)
                loss = self.loss(output, target) * share
            if self.grad_scaler is not None:
                self.grad_scaler.scale(loss).backward()
            else:
                loss.backward()
            total += loss.detach()
            del data, target, output, loss  # before the next part is computed
        if self.grad_scaler is not None:
            self.grad_scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 12)
        if self.grad_scaler is not None:
            self.grad_scaler.step(self.optimizer)
            self.grad_scaler.update()
        else:
            self.optimizer.step()
        return {"loss": total.cpu().numpy()}

    def validation_step(self, batch):
        results = {}
        for part, share in self.parts(batch):
            for key, value in super().validation_step(part).items():
                value = value * share if key == "loss" else value
                results[key] = results[key] + value if key in results else value
        return results
