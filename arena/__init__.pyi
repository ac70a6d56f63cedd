from arena.config.document import ConfigError as ConfigError
from arena.library.errors import FewWorlds as FewWorlds
from arena.library.errors import IllegalAnswer as IllegalAnswer
from arena.library.errors import LibraryError as LibraryError
from arena.library.errors import NoWorld as NoWorld
from arena.library.errors import PlayerError as PlayerError
from arena.library.errors import SeatError as SeatError
from arena.library.many import Results as Results
from arena.library.many import Tally as Tally
from arena.library.many import play_many as play_many
from arena.library.played import Played as Played
from arena.library.players import Player as Player
from arena.library.players import Program as Program
from arena.library.players import program as program
from arena.library.playing import play as play
from arena.library.reader import Reader as Reader
from arena.library.reader import Seating as Seating
from arena.library.reader import View as View
from arena.library.sampling import World as World
from arena.library.sampling import Worlds as Worlds
from arena.library.sampling import worlds as worlds
from arena.library.stepping import State as State
from arena.library.stepping import from_record as from_record
from arena.library.stepping import from_setup as from_setup
from arena.library.stepping import new as new
from arena.library.tables import Table as Table
from arena.library.tables import table as table

__version__: str
__distribution__: str
