-- Puts a report in front of the others, and lets the oldest go. Repeating it changes nothing.
--
-- KEYS: reports.  ARGV: entry, how many are kept.  Replies 1.
if redis.call('LPOS', KEYS[1], ARGV[1]) then return 1 end
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[2]) - 1)
return 1
