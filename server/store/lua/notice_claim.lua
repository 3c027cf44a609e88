-- Gives recipients who are to be told by now to one server, and puts them off for as long as it may need.
--
-- KEYS: recipients.  ARGV: now (ms), until when they are put off (ms), how many at most.  Replies the recipients.
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, recipient in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], recipient) end
return due
