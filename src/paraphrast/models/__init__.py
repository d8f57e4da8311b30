"""Models at work: sessions of onnxruntime and what they read; nothing here trains."""
