-- Moves a match's deadline, unless it is no longer what the caller saw.
--
-- KEYS: deadlines.  ARGV: match id, the deadline that the caller saw, the new one.  Replies 1 if it was moved, else 0.
local stands = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not stands or tonumber(stands) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
