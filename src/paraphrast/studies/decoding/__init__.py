"""The ROUGE-P paper's study of decoding: settings, pools of candidates, measures and report."""
