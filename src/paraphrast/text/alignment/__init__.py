"""Where two texts agree from left to right: common subsequences, edit distances, TER's edits."""
