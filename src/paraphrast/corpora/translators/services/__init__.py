"""Translation and prompted writing by services over HTTP, and by models of this machine."""
