-- Notes that a recipient is to be told of a decision, unless it is noted or was told already.
--
-- KEYS: recipients, the recipient's decisions.  ARGV: recipient, match/seat, prompt, when to tell (ms), seconds for which the decisions
-- are kept.
-- Replies 1 if it is new, else 0. A recipient who is to be told already of others is told of this one together with them.
local stands = redis.call('HGET', KEYS[2], ARGV[2])
if stands == ARGV[3] or stands == '!' .. ARGV[3] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('ZADD', KEYS[1], 'NX', ARGV[4], ARGV[1])
return 1
