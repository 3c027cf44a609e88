-- Appends one entry to a match's log and tells those who follow it, or says why not.
--
-- KEYS: log, answers, meta, deadlines.  ARGV: expected top version, version of the new entry, answer id, payload, channel,
-- match id, deadline in ms of up-time ('' for none).
-- Replies {'ok', version}, {'duplicate', version}, {'conflict', top}, {'unknown', 0}, {'closed', 0} or {'damaged', top}.
-- Runs on Redis 7.0 and later; nothing in it is younger.
local known = redis.call('HMGET', KEYS[3], ':made', ':tombstone')
if known[2] then return {'closed', 0} end
if not known[1] then return {'unknown', 0} end

-- Before the version is looked at: a retry whose first reply was lost always comes with a version that is too old.
local earlier = redis.call('HGET', KEYS[2], ARGV[3])
if earlier then return {'duplicate', tonumber(earlier)} end

-- Entries are never deleted one by one, so the length is the top version, and asking for it costs no copy.
local top = redis.call('XLEN', KEYS[1])
if top ~= tonumber(ARGV[1]) then return {'conflict', top} end

-- If the stream holds other ids than 1-0, 2-0 .. top-0, another program has changed it. Any other failure (no memory, no
-- disk) is Redis' own to tell; it refuses a script's first write only, so there is never half an entry.
local added = redis.pcall('XADD', KEYS[1], ARGV[2] .. '-0', 'e', ARGV[4])
if type(added) == 'table' and added.err then
  if string.find(added.err, 'equal or smaller', 1, true) then return {'damaged', top} end
  return added
end
redis.call('HSET', KEYS[2], ARGV[3], ARGV[2])
if ARGV[7] == '' then redis.call('ZREM', KEYS[4], ARGV[6]) else redis.call('ZADD', KEYS[4], ARGV[7], ARGV[6]) end
redis.call('PUBLISH', ARGV[5], ARGV[2] .. ' ' .. ARGV[4])
return {'ok', tonumber(ARGV[2])}
