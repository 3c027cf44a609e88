-- Adds some entries, and the answers that caused them, to a log that no reader sees yet. Repeating it changes nothing.
--
-- KEYS: new log, new answers.  ARGV: version of the first entry, ms after which the new keys vanish if nothing more comes,
-- number of entries, entry, ..., then answer id, version, ...
-- Replies {'ok', top} or, if the new log does not end where these entries begin, {'conflict', top}.
local first, count = tonumber(ARGV[1]), tonumber(ARGV[3])
local top = redis.call('XLEN', KEYS[1])
if top == first - 1 then
  for n = 1, count do
    top = first + n - 1
    redis.call('XADD', KEYS[1], string.format('%d-0', top), 'e', ARGV[3 + n])
  end
elseif top ~= first + count - 1 then
  return {'conflict', top}
end
for n = 4 + count, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[n], ARGV[n + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {'ok', top}
