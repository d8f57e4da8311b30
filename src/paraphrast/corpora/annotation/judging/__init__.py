"""How far annotators agree, what goes to adjudication, and what a project shows in the end."""
