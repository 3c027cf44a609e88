"""Between browsers and matches: the websocket server, one session a connection, static files, health and metrics."""
