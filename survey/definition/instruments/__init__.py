"""Published questionnaires, one JSON file each. To add an instrument, add a file."""
