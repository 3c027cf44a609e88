-- Makes a match of a log that was put together unseen: all of it or nothing. Repeating it changes nothing.
--
-- KEYS: new log, new answers, log, answers, meta, index.  ARGV: match id, moment the match was made (ms), number of its
-- entries, token of this restoring, '1' if it may replace a tombstone, then field, value, ...
-- Replies {'ok', top}, {'exists', 0}, {'removed', 0} or, if the new log is not whole, {'conflict', top}.
local known = redis.call('HMGET', KEYS[5], ':made', ':tombstone', ':restored')
if known[3] == ARGV[4] then return {'ok', tonumber(ARGV[3])} end
if known[2] == 'removed' then return {'removed', 0} end
if known[1] and not (known[2] and ARGV[5] == '1') then return {'exists', 0} end
local top = redis.call('XLEN', KEYS[1])
if top ~= tonumber(ARGV[3]) then return {'conflict', top} end
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('PERSIST', KEYS[1])
redis.call('RENAME', KEYS[1], KEYS[3])
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('PERSIST', KEYS[2])
  redis.call('RENAME', KEYS[2], KEYS[4])
end
redis.call('HSET', KEYS[5], ':made', ARGV[2], ':restored', ARGV[4], unpack(ARGV, 6))
redis.call('ZADD', KEYS[6], ARGV[2], ARGV[1])
return {'ok', top}
