-- Makes a match: its private fields, the first entry of its log, its place in the index. All of it or nothing.
--
-- KEYS: log, meta, index.  ARGV: match id, moment it was made (ms), first payload, channel, then field, value, ...
-- Replies 'ok' or 'exists'.
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 'exists' end
redis.call('HSET', KEYS[2], ':made', ARGV[2], unpack(ARGV, 5))
redis.call('XADD', KEYS[1], '1-0', 'e', ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
redis.call('PUBLISH', ARGV[4], '1 ' .. ARGV[3])
return 'ok'
