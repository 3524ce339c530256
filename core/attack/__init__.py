"""The intersection attack on several releases, and the sensitive values that it leaves for each person."""
