"""The pages for people: one file for each page, templates and static files beside them."""
