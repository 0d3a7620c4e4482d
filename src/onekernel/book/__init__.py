"""What the pages hold that is generated: drawings of how things are built, and measured numbers inside sentences."""
