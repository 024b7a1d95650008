-- What is known of teams beside the race: secrets, what they asked for, and snapshots of races.

CREATE TABLE teams (
    race       INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    team       INTEGER NOT NULL,
    api_secret BLOB,                        -- SHA-256 of what the team shows to the API: it is only compared
    car_secret BLOB,                        -- what its cars are sent (C-20), encrypted: it must be known in clear
    PRIMARY KEY (race, team)
) STRICT, WITHOUT ROWID;

-- Requests that may be sent again: the same id is the same request, and is carried out once.
CREATE TABLE request_ids (
    race       INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    request_id TEXT    NOT NULL,
    decision   INTEGER NOT NULL,            -- that carries it out
    first      INTEGER NOT NULL,            -- its first command there, counted from 0
    commands   INTEGER NOT NULL,            -- how many commands it has; 0: it asked for a turn
    PRIMARY KEY (race, request_id)
) STRICT, WITHOUT ROWID;

-- The state of a race after an event, so that a long race is soon read. A cache: one that can't be read is passed over.
CREATE TABLE snapshots (
    race   INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,                -- the last event that is in it
    format TEXT    NOT NULL,                -- which program wrote it: no other reads it
    body   BLOB    NOT NULL,
    PRIMARY KEY (race)
) STRICT, WITHOUT ROWID;
