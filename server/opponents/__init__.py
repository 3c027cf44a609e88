"""Who answers prompts when no person does."""
