-- Writes down the public half of the key with which a server signs, if none is written down yet, or if it replaced the one that
-- is. Two servers that start at once with different keys: one of them finds the other's. Repeating it changes nothing.
--
-- KEYS: signers.  ARGV: public half, then those that it replaced, the newest first.
-- Replies the public halves that are written down now, the current one first.
local held = redis.call('LRANGE', KEYS[1], 0, -1)
local known, replaces = {}, #held == 0
for _, one in ipairs(held) do known[one] = true end
for n = 2, #ARGV do replaces = replaces or ARGV[n] == held[1] end
-- A key that was replaced itself does not come back.
if replaces and not known[ARGV[1]] then
  for n = #ARGV, 1, -1 do
    if not known[ARGV[n]] then redis.call('LPUSH', KEYS[1], ARGV[n]) end
  end
end
return redis.call('LRANGE', KEYS[1], 0, -1)
