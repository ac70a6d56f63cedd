"""What is to be played and what was: fixtures, the deals that chance gives them, records."""
