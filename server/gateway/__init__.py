"""The gateway between browsers and matches: the websocket server, a session for each connection, static files, health and
metrics.
"""
