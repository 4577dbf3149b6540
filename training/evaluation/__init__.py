"""Tasks that the embedded model is measured on, made apart from whatever it was trained with."""
