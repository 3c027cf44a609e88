"""The engine, pure code without families, editions, clocks or network: from a state, answers and dice it makes facts."""
