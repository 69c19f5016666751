"""The task "Write this game from its rules" (docs/write_the_game.md): its traces and its grader."""
