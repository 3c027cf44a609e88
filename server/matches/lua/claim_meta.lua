-- Sets a private field of a match if nobody has set it yet, and says what it holds now. Repeating it changes nothing.
--
-- KEYS: meta.  ARGV: field, value.  Replies {'ok', value that stands} or {'unknown', ''}.
if redis.call('HEXISTS', KEYS[1], ':made') == 0 then return {'unknown', ''} end
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return {'ok', redis.call('HGET', KEYS[1], ARGV[1])}
