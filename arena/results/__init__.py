"""Results of games: run files, CSV and PGN files, transcripts, behaviour, verification."""
