-- Sets private fields of a match that exists.
--
-- KEYS: meta, and the channel on which servers that hold the match are told, if they are to know at once.  ARGV: field, value, ...  Replies 'ok', 'unknown' or 'removed'.
local known = redis.call('HMGET', KEYS[1], ':made', ':tombstone')
if not known[1] then return 'unknown' end
if known[2] == 'removed' then return 'removed' end
redis.call('HSET', KEYS[1], unpack(ARGV))
if KEYS[2] then redis.call('PUBLISH', KEYS[2], '-1 ') end
return 'ok'
