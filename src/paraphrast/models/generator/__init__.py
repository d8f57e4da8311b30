"""Language models in onnxruntime and torch: one small protocol for decoding and likelihoods."""
