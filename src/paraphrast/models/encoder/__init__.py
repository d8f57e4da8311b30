"""The edit encoder in onnxruntime: pairs of texts in; scores, entailments and tags out."""
