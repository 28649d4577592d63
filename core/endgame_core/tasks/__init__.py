"""The tasks of a user, without a screen: the state of each task, and methods for each action of the user."""
