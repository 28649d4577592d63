"""The widgets: reactive in, message out."""
