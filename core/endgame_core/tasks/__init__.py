"""What a user does, without a screen: the state of each task, changed by what the user can do, shown by any face."""
