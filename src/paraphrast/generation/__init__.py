"""Writing paraphrases: one decoding loop, and the small functions of log-probabilities it joins."""
