-- What the rules asked of the outside, and what came of it: all that a race needs to be decided again (R-10.5).

CREATE TABLE exchanges (
    race         INTEGER NOT NULL REFERENCES races (id) ON DELETE CASCADE,
    decision     INTEGER NOT NULL,
    place        INTEGER NOT NULL,          -- in its decision, from 1, in the order in which they became durable
    turn         INTEGER NOT NULL,
    chain        TEXT    NOT NULL,          -- the conversation, as it stands in the request id: t12-track-c3
    port         TEXT    NOT NULL,          -- what was asked in it: a car and its inspector share a chain
    number       INTEGER NOT NULL,          -- in its chain and port, from 1; for a car and an AI that of the request id
    team         INTEGER,                   -- in whose log it stands; NULL: nobody's (pirates, clocks)
    car          INTEGER,                   -- NULL: not registered yet, or none
    request      TEXT    NOT NULL,          -- as it was sent, without secrets: method, URL, and below a body or header
    outcome      TEXT    NOT NULL,          -- 'answer', or a word for what came instead
    status       INTEGER,                   -- of an HTTP answer
    content_type TEXT,                      -- of an HTTP answer: json, other, missing
    body         BLOB,                      -- of an HTTP answer, up to 64 KiB and not always text; else what was seen
    deviations   TEXT,                      -- what was accepted all the same (C-22), as a JSON list of words; NULL: nothing
    latency_us   INTEGER NOT NULL,
    at           INTEGER NOT NULL,          -- when it was journalled
    -- The one index: they are written at its end, and a decision is read as a whole. That a chain, port and number come
    -- once, who reads them sees; a second index for it would cost a third of the time of writing.
    PRIMARY KEY (race, decision, place)
) STRICT, WITHOUT ROWID;
