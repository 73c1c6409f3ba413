"""How a past is kept: which pasts a view stores, where they are, and bringing them up to date."""
