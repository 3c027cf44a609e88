-- Puts a report in front of the others, unless there is one of the same line by the same audience, and lets the oldest go.
--
-- KEYS: reports, set of those that are kept.  ARGV: entry, what it is about and by whom, how many are kept.
-- Replies 1 if it is new, 0 if it was reported before; repeating it changes nothing.
if redis.call('SADD', KEYS[2], ARGV[2]) == 0 then return 0 end
redis.call('LPUSH', KEYS[1], ARGV[1])
while redis.call('LLEN', KEYS[1]) > tonumber(ARGV[3]) do
  local old = redis.call('RPOP', KEYS[1])
  local ok, note = pcall(cjson.decode, old)
  if ok and type(note) == 'table' and note.match then
    redis.call('SREM', KEYS[2], note.match .. ':' .. note.entry .. ':' .. note.by)
  end
end
return 1
