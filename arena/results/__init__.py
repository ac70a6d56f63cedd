"""What was played, kept and read again: run files, result files, transcripts, behaviour."""
