-- Takes a token of each bucket, if each has one. A bucket is full at first, and refilled with time.
--
-- KEYS: buckets (hash: tokens, Redis' own time of the last take in ms).
-- ARGV: for each bucket how many tokens it holds and how many it gets a second; then how many are taken (0: it is only asked).
-- Replies 0 if each had one, else the number of the first that had none. A full bucket has no key.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local taken = tonumber(ARGV[#ARGV])
local left = {}
for i, key in ipairs(KEYS) do
  local size, rate = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local known = redis.call('HMGET', key, 'tokens', 'at')
  local passed = math.max(0, now - tonumber(known[2] or now))
  left[i] = math.min(size, tonumber(known[1] or size) + passed * rate / 1000)
  if left[i] < 1 then return i end
end
if taken == 0 then return 0 end
for i, key in ipairs(KEYS) do
  local size, rate = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  redis.call('HSET', key, 'tokens', tostring(left[i] - taken), 'at', now)
  if rate > 0 then redis.call('PEXPIRE', key, math.ceil((size - left[i] + taken) * 1000 / rate)) end
end
return 0
