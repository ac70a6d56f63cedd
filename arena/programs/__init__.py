"""Bots as untrusted programs.

The package reads their files and commands, confines them in a sandbox, plays with them at a referee (`play`),
checks them, and has starter kits.
"""

PUBLIC = """
    bot check.diagnosis check.examine check.finding check.start check.trials executables files game_options
    house kits machine play.build play.capacity play.cores play.dialogue play.drawing
    play.gate play.journal play.link play.live play.log play.meter play.model play.player play.processless
    play.prompt play.remote play.room play.table reading remote.client remote.exchange sandbox.client
    sandbox.linux.cgroup sandbox.linux.folders sandbox.linux.landlock sandbox.linux.procfs
    sandbox.linux.seccomp sandbox.linux.subreaper sandbox.policy sandbox.promises
"""  # the modules for other packages
