-- Says that a server is up, and how long servers have been up altogether.
--
-- KEYS: up (hash: ms of up-time, Redis' own time of the last beat in ms).  ARGV: longest gap between two beats (ms).
-- Replies the ms of up-time. However many servers beat, and however often, what passed is counted once.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known = redis.call('HMGET', KEYS[1], 'ms', 'at')
local ms, at = tonumber(known[1] or '0'), tonumber(known[2] or now)

-- A longer gap: no server was up. A negative one: Redis' wall clock was set back.
local passed = now - at
if passed > 0 and passed <= tonumber(ARGV[1]) then ms = ms + passed end
redis.call('HSET', KEYS[1], 'ms', ms, 'at', now)
return ms
