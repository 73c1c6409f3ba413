"""How a plan moves: from the changes of its tables to the change of its result, one rule per operator."""
