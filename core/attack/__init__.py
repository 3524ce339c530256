"""The intersection attack on several releases, and what it leaves of each person's secret."""
