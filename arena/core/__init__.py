"""What everything else imports: clocks, limits, configuration files, bots as files."""
