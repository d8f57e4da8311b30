"""The edit encoder in torch: its network, objectives, validation and distillation."""
