-- Gives recipients who are to be told by now to one server; also those that another server took, and has not done with in time.
--
-- KEYS: recipients, those that servers are at.  ARGV: now (ms), until when they are this server's (ms), how many at most.
-- Replies the recipients.
for _, recipient in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])) do
  redis.call('ZREM', KEYS[2], recipient)
  redis.call('ZADD', KEYS[1], ARGV[1], recipient)
end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, recipient in ipairs(due) do
  redis.call('ZREM', KEYS[1], recipient)
  redis.call('ZADD', KEYS[2], ARGV[2], recipient)
end
return due
