"""From exploration to a decision: the scenario, its numbers against limits."""
