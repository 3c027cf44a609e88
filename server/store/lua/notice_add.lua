-- Notes that a recipient is to be told of a decision, unless it is noted or was told already.
--
-- KEYS: recipients, those that servers are at, the recipient's decisions.  ARGV: recipient, match/seat, prompt, when to tell (ms), seconds
-- for which the decisions are kept.
-- Replies 1 if it is new, else 0. A recipient is told of all at once, as soon as it may be told of one; but one that could not be reached
-- is not tried earlier for it, and one that a server is at comes to its turn when that is done.
local stands = redis.call('HGET', KEYS[3], ARGV[2])
if stands == ARGV[3] or stands == '!' .. ARGV[3] then return 0 end
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[5])
if redis.call('HEXISTS', KEYS[3], ':tries') == 1 or redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 1 end
redis.call('ZADD', KEYS[1], 'LT', ARGV[4], ARGV[1])
return 1
