-- Who may do what through the API, what was done once, and how a team's resources are read.

CREATE TABLE tokens (
    id          TEXT    NOT NULL PRIMARY KEY, -- random; what people see
    fingerprint BLOB    NOT NULL UNIQUE,      -- SHA-256 of what is shown to the API: it is only compared
    role        TEXT    NOT NULL CHECK (role IN ('admin', 'observer')),
    race        INTEGER REFERENCES races (id) ON DELETE CASCADE, -- the only one that it is good for; NULL: all
    note        TEXT    NOT NULL,             -- whose it is, in words
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER                       -- NULL: it is valid. The row stays, so that its secret is never given again
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_of_a_race ON tokens (race) WHERE race IS NOT NULL;

-- 1: only who may do something in it sees it.
ALTER TABLE races ADD COLUMN private INTEGER NOT NULL DEFAULT 0;

CREATE INDEX races_by_age ON races (created_at, race);

-- Who shows it is found by it, so two can't have the same.
CREATE UNIQUE INDEX api_secrets ON teams (api_secret) WHERE api_secret IS NOT NULL;

-- How its resources are read (CONTRACT I), encrypted: an address may be a secret, and so are credentials.
ALTER TABLE teams ADD COLUMN inspector BLOB;
-- The first decision for which that holds. One that was begun before is made with what was set before: it may have been
-- broken off, and must be made again as it was.
ALTER TABLE teams ADD COLUMN inspector_from INTEGER;
ALTER TABLE teams ADD COLUMN inspector_before BLOB;

-- Calls that change something beside a race's decisions (those are in `request_ids`): who sends one again gets the answer
-- that was kept.
CREATE TABLE calls (
    request_id TEXT    NOT NULL PRIMARY KEY,
    rpc        TEXT    NOT NULL,              -- which call it was
    digest     BLOB    NOT NULL,              -- SHA-256 of the request: another one under the same id is refused
    answer     BLOB    NOT NULL,              -- without secrets
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
