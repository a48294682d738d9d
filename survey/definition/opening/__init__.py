"""What keeps a survey from opening although its definition has no fault."""
