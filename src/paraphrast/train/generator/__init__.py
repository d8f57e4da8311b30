"""The generator in torch: its network, batches and validation figures."""
