"""The commands of ``llm-eval``, and what they are made of."""
