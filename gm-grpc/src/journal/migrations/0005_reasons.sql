-- Why commands were refused, for programs: who sends a request again is to be told the same as the first time.

ALTER TABLE decisions ADD COLUMN reasons TEXT; -- for each command null, or the name of its refusal, as JSON; NULL: not known
