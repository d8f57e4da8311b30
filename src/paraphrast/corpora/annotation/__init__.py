"""The annotation desk: people label pairs and mark spans; nothing they did is lost."""
