def recompute(module, checkpoint=checkpoint, training=torch.is_grad_enabled):
    """Makes the module keep only its inputs; its forward runs again in the backward pass."""
    # The functions are arguments, not globals: nnU-Net removes an external trainer from sys.modules,
    # where torch.compile would look for its globals.
    forward = module.forward

    def recomputed(*inputs):
        if training():
            return checkpoint(forward, *inputs, use_reentrant=False)
        return forward(*inputs)

    module.forward = recomputed


class Trainer(nnUNetTrainer):
    def initialize(self):
        plans, configuration = self.plans_manager.plans_name, self.configuration_name
        if (plans, configuration) != (PLANS, CONFIGURATION):
            raise RuntimeError(
                f"this trainer was made for {PLANS} {CONFIGURATION}, not for {plans} {configuration}"
            )
        super().initialize()

    @staticmethod
    @functools.wraps(nnUNetTrainer.build_network_architecture)
    def build_network_architecture(*arguments, **keywords):
        network = nnUNetTrainer.build_network_architecture(*arguments, **keywords)
        for name in RECOMPUTED:
            recompute(network.get_submodule(name))
        return network
