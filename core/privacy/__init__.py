"""Requirements for a class: the privacy models, and policies made of them."""
