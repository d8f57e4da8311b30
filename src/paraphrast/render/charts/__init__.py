"""SVG charts of our own."""
