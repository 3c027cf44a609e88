-- Sets a private field of a match if it is unset, and returns its value now. Repeating it changes nothing.
--
-- KEYS: meta.  ARGV: field, value.  Replies {'ok', value that stands}, {'unknown', ''} or
-- {'removed', ''}.
local known = redis.call('HMGET', KEYS[1], ':made', ':tombstone')
if not known[1] then return {'unknown', ''} end
if known[2] == 'removed' then return {'removed', ''} end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return {'ok', redis.call('HGET', KEYS[1], ARGV[1])}
