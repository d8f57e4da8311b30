"""Translation systems and language models that are asked for texts, behind two small protocols."""
