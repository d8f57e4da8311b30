"""Training: recipes, data, objectives, one loop, export. With `models`, the only home of torch."""
