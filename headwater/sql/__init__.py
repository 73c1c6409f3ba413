"""Text to plan, and the statements that declare and steer views."""
