-- Notes of which decisions a recipient was told, and when to tell the rest.
--
-- KEYS: recipients, those that servers are at, the recipient's decisions.  ARGV: recipient, when it was told (ms; 0: it was not), when to
-- tell the rest (ms), then for each decision match/seat, its prompt, and 'told' or 'dropped'.
-- A decision that was replaced meanwhile is left alone. Replies the number of decisions that wait.
for at = 4, #ARGV, 3 do
  if redis.call('HGET', KEYS[3], ARGV[at]) == ARGV[at + 1] then
    if ARGV[at + 2] == 'told' then redis.call('HSET', KEYS[3], ARGV[at], '!' .. ARGV[at + 1])
    else redis.call('HDEL', KEYS[3], ARGV[at]) end
  end
end
redis.call('HDEL', KEYS[3], ':tries')
if ARGV[2] ~= '0' then redis.call('HSET', KEYS[3], ':last', ARGV[2]) end
local waiting = 0
local held = redis.call('HGETALL', KEYS[3])
for at = 1, #held, 2 do
  if string.sub(held[at], 1, 1) ~= ':' and string.sub(held[at + 1], 1, 1) ~= '!' then waiting = waiting + 1 end
end
redis.call('ZREM', KEYS[2], ARGV[1])
if waiting > 0 then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
return waiting
