"""What seats are asked, and whether an answer is legal."""
