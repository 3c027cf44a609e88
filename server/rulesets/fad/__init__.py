"""Fast And Dirty, by Ivan Sorensen: the family. A file is a chapter of the book; an edition says what it has otherwise."""
