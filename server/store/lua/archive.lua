-- Replaces a finished match's log by a tombstone. From then on nothing can be appended.
--
-- KEYS: log, answers, meta, deadlines.  ARGV: expected top version, note, match id.
-- Replies {'ok', top}, {'conflict', top}, {'unknown', 0} or {'closed', 0}.
local known = redis.call('HMGET', KEYS[3], ':made', ':tombstone')
if known[2] then return {'closed', 0} end
if not known[1] then return {'unknown', 0} end
local top = redis.call('XLEN', KEYS[1])
if top ~= tonumber(ARGV[1]) then return {'conflict', top} end
redis.call('HSET', KEYS[3], ':tombstone', ARGV[2])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[4], ARGV[3])
return {'ok', top}
