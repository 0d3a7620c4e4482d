"""What the pages hold that is generated: tables, lists, excerpts, measured numbers inside sentences, pictures."""
