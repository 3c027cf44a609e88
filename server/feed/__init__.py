"""The public feed: what everyone may know of the listed matches, published to an MQTT broker from their logs."""
