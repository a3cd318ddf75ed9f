"""An outdoor shop's assistant: it looks its product pages up and answers with what they say."""
