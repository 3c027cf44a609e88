"""Fast And Dirty, by Ivan Sorensen: the family. Each file is a chapter of the book; an edition states where it differs."""
