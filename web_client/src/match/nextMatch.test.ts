import { expect, it } from 'vitest';
import { nextInvite, placesIn } from './nextMatch';

// As `client_protocol.next_match.next_invite("token-of-red", "abc")` has it.
const INVITE = 'e95922b91024cd17fb98a1b7a0d820128574d69cc6508bb91c42491faf250149';

it('works out the invite that the server expects', () => {
  expect(nextInvite('token-of-red', 'abc')).toBe(INVITE);
});

it('knows the seats of those whose tokens are here', () => {
  const next = { match: 'abc', seats: { red: 'blue', blue: 'red' } };
  expect(placesIn(next, { red: 'token-of-red', green: 'other' })).toEqual([{ seat: 'blue', invite: INVITE }]);
});
