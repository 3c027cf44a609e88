-- Sets when to look after a league next, unless something has happened in it since it was looked at: an entry sets that itself.
--
-- KEYS: the league's log, leagues by when to look after them.  ARGV: league, how many entries were looked at, when (ms; '': not until
-- something happens).
-- Replies 1 if it is set, else 0.
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1
