"""The statements of the journal on a Postgres server, each a transaction of its own.

Owns their text. ``{schema}`` stands for the name of the schema; values are given by name. Tables: `postgres_server`.
"""

# ruff: noqa: S608  They are put together of the constants here; values are never written into them.

from typing import LiteralString

MISSING: LiteralString = """missing (hash) AS (
        SELECT hash FROM unnest(%(known)b::bytea[]) AS asked (hash)
        WHERE NOT EXISTS (SELECT FROM {schema}.bodies WHERE bodies.hash = asked.hash))"""
CHAINED: LiteralString = """
        UNION ALL
        SELECT place + 1, sha256(digest || (%(rows)b::bytea[])[place + 1]) FROM chained
        WHERE place < cardinality(%(rows)b::bytea[]))"""
STORED: LiteralString = """stored AS (
        INSERT INTO {schema}.bodies (hash, content)
        SELECT hash, content FROM unnest(%(hashes)b::bytea[], %(contents)b::bytea[]) AS given (hash, content)
        WHERE EXISTS (SELECT FROM chained) ON CONFLICT DO NOTHING)"""
WRITTEN: LiteralString = """written AS (
        INSERT INTO {schema}.events (run, seq, event, digest, nonce)
        SELECT run.number, %(seq)s::bigint + place - 1, (%(rows)b::bytea[])[place], chained.digest, %(nonce)s::bigint
        FROM run, chained RETURNING 1)
    SELECT (SELECT count(*) FROM written), (SELECT encode(hash, 'hex') FROM missing LIMIT 1)"""

BEGIN: LiteralString = f"""WITH RECURSIVE {MISSING}, chained (place, digest) AS (
        SELECT 1, sha256(%(before)b::bytea || (%(rows)b::bytea[])[1]) WHERE NOT EXISTS (SELECT FROM missing){CHAINED},
    run AS (
        INSERT INTO {{schema}}.runs (key, name, parent, after)
        SELECT %(key)b::bytea, %(name)b::bytea, %(parent)s::bigint, %(seq)s::bigint - 1 FROM chained WHERE place = 1
        RETURNING number),
    {STORED}, {WRITTEN}"""
"""The first append of a run."""

GO_ON: LiteralString = f"""WITH RECURSIVE {MISSING}, run AS (
        SELECT runs.number, events.digest FROM {{schema}}.runs
        JOIN {{schema}}.events ON events.run = runs.number AND events.seq = %(seq)s::bigint - 1
        WHERE runs.key = %(key)b::bytea),
    chained (place, digest) AS (
        SELECT 1, sha256(run.digest || (%(rows)b::bytea[])[1]) FROM run
        WHERE NOT EXISTS (SELECT FROM missing){CHAINED},
    {STORED}, {WRITTEN}"""
"""Any later one."""

IS_OURS: LiteralString = """SELECT 1 FROM {schema}.runs JOIN {schema}.events ON events.run = runs.number
    WHERE runs.key = %(key)b::bytea AND events.seq = %(seq)s::bigint AND events.nonce = %(nonce)s::bigint"""

LINE: LiteralString = """WITH RECURSIVE line (run, upto) AS (
        SELECT number, 9223372036854775807 FROM {schema}.runs WHERE key = %(key)b::bytea
        UNION
        SELECT runs.parent, least(runs.after, line.upto) FROM line
        JOIN {schema}.runs ON runs.number = line.run WHERE runs.parent IS NOT NULL)"""
"""A run and those whose events it shares, with the last number that it has of each."""

SHARED: LiteralString = f"""{LINE} SELECT (SELECT number FROM {{schema}}.runs WHERE key = %(key)b::bytea), (
        SELECT events.digest FROM line JOIN {{schema}}.events ON events.run = line.run AND events.seq <= line.upto
        WHERE events.seq = %(seq)s::bigint)"""
"""The number of a run, and the digest of one of its events."""

READ: LiteralString = f"""{LINE} SELECT events.seq, events.event,
        events.run = mine.number AND events.seq = mine.after + 1 AS is_first
    FROM {{schema}}.runs AS mine, line
    JOIN {{schema}}.events ON events.run = line.run AND events.seq <= line.upto
    WHERE mine.key = %(key)b::bytea
        AND (events.seq > %(after)s::bigint OR (events.run = mine.number AND events.seq = mine.after + 1))
    ORDER BY events.seq"""
"""The events above a number, and the first of the run itself, which says in what form it was written."""

LINKS: LiteralString = f"""{LINE} SELECT runs.name, events.seq, events.digest, events.event FROM line
    JOIN {{schema}}.runs ON runs.number = line.run
    JOIN {{schema}}.events ON events.run = line.run AND events.seq <= line.upto
    ORDER BY events.seq"""

ORIGINS: LiteralString = f"""{LINE} SELECT runs.name, parents.name, runs.after FROM line
    JOIN {{schema}}.runs ON runs.number = line.run
    LEFT JOIN {{schema}}.runs AS parents ON parents.number = runs.parent"""
"""Where a run, and those whose events it shares, begin."""

BODIES: LiteralString = "SELECT hash, content FROM {schema}.bodies WHERE hash = ANY(%(hashes)b::bytea[])"
SIZES: LiteralString = "SELECT hash, length(content) FROM {schema}.bodies WHERE hash = ANY(%(hashes)b::bytea[])"

RUNS: LiteralString = """SELECT runs.name, began.event, coalesce(ended.seq, 0), ended.event
    FROM (SELECT * FROM {schema}.runs ORDER BY number DESC LIMIT %(limit)s::bigint) AS runs
    LEFT JOIN {schema}.events AS began ON began.run = runs.number AND began.seq = runs.after + 1
    LEFT JOIN LATERAL (
        SELECT seq, event FROM {schema}.events WHERE events.run = runs.number ORDER BY seq DESC LIMIT 1
    ) AS ended ON true
    ORDER BY runs.number DESC"""

UNTIL: LiteralString = "clock_timestamp() + make_interval(secs => %(seconds)s::double precision)"
TAKE: LiteralString = f"""INSERT INTO {{schema}}.leases AS held (key, token, until, holder, nonce)
    VALUES (%(key)b::bytea, 1, {UNTIL}, %(holder)s::text, %(nonce)s::bigint)
    ON CONFLICT (key) DO UPDATE
        SET token = held.token + 1, until = excluded.until, holder = excluded.holder, nonce = excluded.nonce
    WHERE held.until <= clock_timestamp() OR held.nonce = excluded.nonce OR held.token = %(dead)s::bigint
    RETURNING token"""
HELD: LiteralString = """SELECT token, holder, extract(epoch FROM until - clock_timestamp())::double precision
    FROM {schema}.leases WHERE key = %(key)b::bytea"""
RENEW: LiteralString = f"""UPDATE {{schema}}.leases SET until = {UNTIL}
    WHERE key = %(key)b::bytea AND token = %(token)s::bigint RETURNING 1"""
RELEASE: LiteralString = """UPDATE {schema}.leases SET until = '-infinity'
    WHERE key = %(key)b::bytea AND token = %(token)s::bigint"""

# The row of the run is locked before the letter gets its number, so that letters to a run become visible in the order
# of their numbers, and who asks for those above a number misses none.
SEND: LiteralString = """WITH run AS (SELECT number FROM {schema}.runs WHERE key = %(key)b::bytea FOR UPDATE)
    INSERT INTO {schema}.inbox (run, at, letter, nonce)
    SELECT run.number, extract(epoch FROM clock_timestamp()), %(letter)b::bytea, %(nonce)s::bigint FROM run
    ON CONFLICT (nonce) DO NOTHING RETURNING number"""
SENT: LiteralString = "SELECT number FROM {schema}.inbox WHERE nonce = %(nonce)s::bigint"
INBOX: LiteralString = """SELECT inbox.number, inbox.at, inbox.letter FROM {schema}.runs
    JOIN {schema}.inbox ON inbox.run = runs.number
    WHERE runs.key = %(key)b::bytea AND inbox.number > %(after)s::bigint ORDER BY inbox.number"""
