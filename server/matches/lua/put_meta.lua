-- Sets private fields of a match that exists.
--
-- KEYS: meta.  ARGV: field, value, ...  Replies 'ok' or 'unknown'.
if redis.call('HEXISTS', KEYS[1], ':made') == 0 then return 'unknown' end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 'ok'
