-- Replaces a match, whatever its state, by a tombstone that stays: its log and all that is private to it go, and so do its places
-- in the indexes and its deadline. Those who follow it are told by version 0, which no entry has. Repeating it changes nothing.
--
-- KEYS: log, answers, meta, deadlines, index, notes, list.  ARGV: expected top version, match id, channel.
-- Replies {'ok', top}, {'conflict', top}, {'unknown', 0} or {'removed', 0}.
local known = redis.call('HMGET', KEYS[3], ':made', ':tombstone')
if not known[1] then return {'unknown', 0} end
if known[2] == 'removed' then return {'removed', 0} end
local top = redis.call('XLEN', KEYS[1])
if top ~= tonumber(ARGV[1]) then return {'conflict', top} end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
redis.call('HSET', KEYS[3], ':made', known[1], ':tombstone', 'removed')
redis.call('ZREM', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[5], ARGV[2])
redis.call('ZREM', KEYS[7], ARGV[2])
redis.call('INCR', KEYS[6])
redis.call('PUBLISH', ARGV[3], '0 ')
return {'ok', top}
