-- Races, what was decided in them, and what came of it.
-- Times are milliseconds since 1970, UTC. They are for people, and for showing a race again at its own speed; no rule
-- reads them (R-10.5).

CREATE TABLE races (
    id          INTEGER PRIMARY KEY,        -- short, for the other tables; what people see is `race`
    race        TEXT    NOT NULL UNIQUE,    -- random; starts every request id of the race (C-20), so it never comes twice
    name        TEXT    NOT NULL,           -- what people call it; not unique
    created_at  INTEGER NOT NULL,
    gm          TEXT    NOT NULL,           -- version of the program that made it, for the error about another revision
    revision    INTEGER NOT NULL,           -- of the rules (R-10.5): the race is played and verified under no other
    seed        TEXT    NOT NULL,           -- decimal: SQLite's integers are signed, a seed is not
    origin      TEXT    NOT NULL CHECK (origin IN ('here', 'imported')), -- an imported race is not played on
    plan        TEXT,                       -- who is to take part, as JSON without secrets; NULL: teams come by themselves
    pace_ms     INTEGER,                    -- from the start of a turn to the start of the next; NULL: on the admin's word
    ran_ms      INTEGER NOT NULL DEFAULT 0, -- running time (R-10.2) when something was committed last
    finished    INTEGER NOT NULL DEFAULT 0  -- 1: it is over, so nobody has to recover it; the events say why
) STRICT;

-- A decision: a turn, or a batch of commands settled between two turns. It is there before anybody is asked anything
-- for it, and complete when its events are.
CREATE TABLE decisions (
    race         INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    no           INTEGER NOT NULL,          -- from 1, without a gap
    kind         TEXT    NOT NULL CHECK (kind IN ('create', 'turn', 'commands', 'register_all')),
    turn         INTEGER NOT NULL,          -- the turn that is played; for commands, the one completed before
    format       INTEGER NOT NULL,          -- of `arrivals` (journal/stored)
    arrivals     TEXT    NOT NULL,          -- the commands with their numbers, as JSON; [] for a turn
    begun_at     INTEGER NOT NULL,
    committed_at INTEGER,                   -- NULL: it was not completed yet
    last_seq     INTEGER,                   -- the last event of the race then; NULL with `committed_at`
    settled      TEXT,                      -- for each command null, or why it was refused; NULL with `committed_at`
    PRIMARY KEY (race, no)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    race   INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,                -- from 1, without a gap
    turn   INTEGER NOT NULL,                -- the turn in which it happened; between two turns, the one before
    format INTEGER NOT NULL,                -- of `body` (journal/stored)
    body   TEXT    NOT NULL,                -- JSON
    PRIMARY KEY (race, seq)
) STRICT, WITHOUT ROWID;
