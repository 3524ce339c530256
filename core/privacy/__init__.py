"""What a class must satisfy: the privacy models, and policies made of them."""
