-- Gives the right to do something to one process at a time: to the one that has it, or to the first that asks when no process has.
--
-- KEYS: lease.  ARGV: process, milliseconds for which it may keep it without asking again (0: it gives it up).
-- Replies 1 if the process has it now, else 0. Repeating it changes nothing but the time.
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
