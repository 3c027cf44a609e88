import { describe, expect, it } from 'vitest';
import { keyOf, newKey, signedPlayer, signedSeat } from './key';

/** The key that the server's tests call Ada's: a seed of thirty-two ones. */
const ADA = keyOf('01'.repeat(32))!;

describe('a key', () => {
  it('has the public half and the signatures that the server computes', () => {
    expect(ADA.key).toBe('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c');
    expect(signedSeat(ADA, 'k3v9', 'blue', 'Ada')).toBe(SEAT);
    expect(signedPlayer(ADA, '00'.repeat(32), 'Ada Lovelace, Countess')).toBe(PLAYER);
  });

  it('is another one each time', () => {
    expect(newKey().key).not.toBe(newKey().key);
  });

  it('comes from a seed alone', () => {
    for (const seed of ['', '01', 'x'.repeat(64), '01'.repeat(33)]) expect(keyOf(seed)).toBeNull();
  });
});

const SEAT =
  '890e15d359da5c7b1d4be5d7e15944f48be7bafcd741c207a996999352fe9060ed63fec6634dfe0461fb3568e5842d2d7152595a813c3144b4422783d9e06903';
const PLAYER =
  'ac91556607dcc8f1c33b527c578175a68a607875c2adf02c0f30d779f5a632c29da9232e802d9b4a0a12055f50a401b383bb39847c685855923dd208ba736409';
