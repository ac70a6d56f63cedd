CREATE TABLE entrant (
    name TEXT PRIMARY KEY,      -- under which its entries play: given by the organiser
    team TEXT NOT NULL,         -- or empty
    author TEXT NOT NULL,       -- or empty
    is_remote INTEGER NOT NULL DEFAULT 0, -- its bot plays from its own machine: it hands in nothing
    declines INTEGER NOT NULL DEFAULT 0,  -- scrimmages
    excluded TEXT,              -- why
    withdrawn REAL,             -- when; as all times, in seconds since 1970
    created REAL NOT NULL,
    served INTEGER NOT NULL DEFAULT 0     -- whose turn it is: the lowest number is next
) WITHOUT ROWID;
CREATE TABLE entry (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    number INTEGER NOT NULL,    -- 1, 2, ... of this entrant
    received REAL NOT NULL,     -- when its last byte arrived
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    state TEXT NOT NULL,        -- see `entries`
    since REAL NOT NULL,        -- in this state
    until REAL,                 -- the deadline of the state
    why TEXT NOT NULL DEFAULT '',       -- it failed, was replaced or withdrawn
    by_arena INTEGER NOT NULL DEFAULT 0,  -- it failed through no fault of its own
    findings TEXT NOT NULL DEFAULT '[]',  -- JSON, as `arena check --format json` has them
    fingerprint TEXT NOT NULL DEFAULT '',
    turn INTEGER NOT NULL DEFAULT 0,    -- counts how often it was taken up: an old process changes nothing
    deaths INTEGER NOT NULL DEFAULT 0,  -- of processes of the arena that worked on it
    UNIQUE (entrant, number)
);
CREATE INDEX entry_of ON entry (state);
CREATE TABLE scrimmage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    opponent TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    games INTEGER NOT NULL,
    asked REAL NOT NULL,
    state TEXT NOT NULL,        -- waiting, playing, over, failed, declined
    until REAL,
    why TEXT NOT NULL DEFAULT ''
);
CREATE TABLE notice (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE question (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entrant TEXT NOT NULL REFERENCES entrant (name) ON DELETE CASCADE,
    at REAL NOT NULL,
    text TEXT NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    answered REAL,
    is_public INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE alarm (            -- an error of the arena, for the organiser
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL,
    source TEXT NOT NULL,       -- intake, player
    text TEXT NOT NULL,
    is_seen INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE deleted (          -- entrants whose data was deleted: their games are shown under `alias`
    name TEXT PRIMARY KEY,
    alias TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL         -- JSON
) WITHOUT ROWID;
