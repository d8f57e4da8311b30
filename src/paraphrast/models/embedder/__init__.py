"""The embedder in onnxruntime: texts in, states of sub-words and of sentences out."""
