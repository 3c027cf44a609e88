-- Imposes a sanction, or lifts it, and counts the change. What has ended is dropped from the names.
--
-- KEYS: sanction, names (sorted set by the ms since 1970 at which they end), number of changes.
-- ARGV: name, sanction ('': it is lifted), milliseconds for which it holds (0: without an end), score of its end.
-- Replies 1 if there was one before, else 0. Repeating it changes nothing but the number of changes.
local before = redis.call('EXISTS', KEYS[1])
local time = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. tonumber(time[1]) * 1000 - 60000)
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('SET', KEYS[1], ARGV[2])
  if ARGV[3] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
redis.call('INCR', KEYS[3])
return before
